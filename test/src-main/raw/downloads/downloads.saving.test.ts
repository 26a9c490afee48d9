import { noShell } from '../raw-context.ts'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unpack } from '#test/src-main/sandbox/raw/read-archive.ts'
import { account, hasEnded, namesIn, read, readyReport, temporaryFolder } from './helpers.ts'
import { readyForAll } from './ready-report.ts'

const ready = readyForAll()
const { desk } = ready

describe('a report that is saved', () => {
  it('is the archive, byte for byte, under a name of its own, dated when it was made', async () => {
    const { folder, fetched } = await desk()
    const ended = await fetched(ready.record.id)
    expect(ended).toMatchObject({ state: { kind: 'saved' }, size: ready.bytes.length, name: 'Everything' })
    expect(ended.host).toBe(new URL(ready.running.sandbox.downloadAddress).host)
    expect(ended.file).toBe('Acme Everything 2026-10-20 to 2026-11-18 Response.zip')
    expect(namesIn(folder)).toEqual([ended.file])
    expect((await read(folder, ended.file)).equals(ready.bytes)).toBe(true)
    expect((await stat(join(folder, ended.file))).mtimeMs).toBe(Date.parse(ready.record.created ?? ''))
  })

  it('replaces nothing', async () => {
    const { folder, fetched } = await desk()
    const file = 'Acme Everything 2026-10-20 to 2026-11-18 Response.zip'
    writeFileSync(join(folder, file), 'mine')
    const ended = await fetched(ready.record.id)
    expect(ended.file).toBe(file.replace('.zip', ' (2).zip'))
    expect(namesIn(folder)).toEqual([ended.file, file])
    expect((await read(folder, file)).toString()).toBe('mine')
  })

  it('stays in its folder, whatever it is called', async () => {
    const outside = temporaryFolder()
    const folder = join(outside, 'downloads')
    mkdirSync(folder)
    const { fetched } = await desk({ folder, raw: { fileNames: '{name}' } })
    const files = []
    for (const name of ['../../x', 'CON', '\u202Ecod.exe', '.hidden']) {
      const { record } = await readyReport(ready.running, name)
      files.push((await fetched(record.id)).file)
    }
    expect(files).toEqual(['x.zip', '_CON.zip', 'cod.exe.zip', 'hidden.zip'])
    expect(namesIn(folder)).toEqual(files.toSorted())
    expect(namesIn(outside)).toEqual(['downloads'])
  })

  it('has its table beside it where that is wished', async () => {
    const { folder, fetched } = await desk({ raw: { unpack: true } })
    const ended = await fetched(ready.record.id)
    const table = ended.file.replace('.zip', '.csv')
    expect(namesIn(folder)).toEqual([table, ended.file])
    expect((await read(folder, table)).toString()).toBe((await unpack(ready.bytes)).text)
  })

  it('is saved once more where the person wants that, beside the file from before', async () => {
    const made = await desk()
    const first = await made.fetched(ready.record.id)
    expect(await made.started(ready.record.id)).toBe(first.id)
    expect(namesIn(made.folder)).toEqual([first.file])
    const asked = { account: account().id, report: ready.record.id, choose: false, anew: true }
    expect(await made.downloads.start(asked)).toEqual({ id: first.id })
    const second = await made.until(first.id, hasEnded)
    expect(second.file).toBe(first.file.replace('.zip', ' (2).zip'))
    expect(namesIn(made.folder)).toEqual([second.file, first.file])
    expect((await read(made.folder, second.file)).equals(ready.bytes)).toBe(true)
  })

  it('may be put into a folder that the person chooses, and again into another', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()]
    const choices = [null, one, two]
    const made = await desk({
      shell: { ...noShell, chooseFolder: () => Promise.resolve(choices.shift() ?? null) },
    })
    const asked = { account: account().id, report: ready.record.id, choose: true }
    expect(await made.downloads.start(asked)).toBeNull()
    const id = await made.started(ready.record.id, true)
    await made.until(id, hasEnded)
    expect(await made.started(ready.record.id, true)).toBe(id)
    await made.until(id, hasEnded)
    expect([namesIn(one).length, namesIn(two).length, namesIn(made.folder).length]).toEqual([1, 1, 0])
    expect(await made.downloads.list()).toHaveLength(1)
  })

  it('is shown and opened as long as it lies there, fetched again where it does not, until it expires', async () => {
    const shown: string[] = []
    let now = Date.parse('2026-11-20T12:00:00Z')
    const made = await desk({
      clock: { now: () => (now += 1), wait: () => Promise.resolve() },
      shell: {
        ...noShell,
        showFile: (path) => shown.push(path),
        openFile: (path) => Promise.resolve(path.endsWith('.zip') ? '' : 'No program'),
      },
    })
    const { downloads, folder } = made
    const ended = await made.fetched(ready.record.id)
    const path = join(folder, ended.file)
    await downloads.show(ended.id)
    await downloads.open(ended.id)
    const ofReport = { account: account().id, report: ready.record.id }
    await downloads.showReport(ofReport)
    expect(shown).toEqual([path, path])
    expect(downloads.savedState(account().id, ready.record.id)).toBe('saved')

    renameSync(path, `${path}.moved`)
    expect((await downloads.list())[0]?.state).toEqual({ kind: 'missing' })
    expect(downloads.savedState(account().id, ready.record.id)).toBe('missing')
    await expect(downloads.show(ended.id)).rejects.toMatchObject({ failure: { kind: 'disk' } })
    await expect(downloads.showReport(ofReport)).rejects.toMatchObject({ failure: { kind: 'disk' } })
    renameSync(`${path}.moved`, path)
    expect((await downloads.list())[0]?.state.kind).toBe('saved')

    await rm(path)
    await downloads.list()
    await downloads.resume(ended.id)
    await made.until(ended.id, ({ state }) => state.kind === 'saved')
    expect((await read(folder, ended.file)).equals(ready.bytes)).toBe(true)

    now = Date.parse(ready.record.expires ?? '') + 1
    expect(await downloads.list()).toHaveLength(1)
    await rm(path)
    expect(await downloads.list()).toEqual([])
  })
})
