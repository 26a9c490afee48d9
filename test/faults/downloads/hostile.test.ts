import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { usualRawSettings } from '#shared/raw/settings.ts'
import { isLong } from '#test/helpers/long.ts'
import { account, namesIn, read, temporaryFolder } from '#test/src-main/raw/downloads/helpers.ts'
import { locked, lying, noughts, overlapping, renamed, zipOf } from '#test/src-main/files/made-archives.ts'
import { TOKEN, archiveService, deskAt, report } from './archive-service.ts'

// Every attempt has a thread of its own, and a machine that has much to do is slow, not wrong.
vi.setConfig({ testTimeout: 60_000 })

const csv = 'TIMESTAMP,SOURCE\r\n2026-11-19T00:00:00Z,news\r\n'
const plain = () => zipOf({ 'report.csv': csv })

/** A folder of downloads in a folder that a hostile name might reach. */
function nested() {
  const outside = temporaryFolder()
  const folder = join(outside, 'Downloads')
  mkdirSync(folder)
  return { outside, folder }
}

describe('a hostile archive that comes over the network', () => {
  it.each([
    ['a bomb', () => zipOf({ 'report.csv': Readable.from(noughts(100)) })],
    [
      'a bomb that says to be small',
      async () => lying(await zipOf({ 'report.csv': Readable.from(noughts(20)) }), 100),
    ],
    ['an absolute path', async () => renamed(await zipOf({ 'aetc/passwd.csv': csv }), 'aetc', '/etc')],
    ['a path upwards', async () => renamed(await zipOf({ 'aa/report.csv': csv }), 'aa/re', '../re')],
    ['a path of Windows', async () => renamed(await zipOf({ 'caab.csv': csv }), 'caa', 'c:\\')],
    ['a link', () => zipOf({ 'report.csv': '/etc/passwd' }, { mode: 0o120777 })],
    ['no files', () => zipOf({})],
    ['no bytes', () => Promise.resolve(Buffer.alloc(0))],
    [
      'files over each other',
      async () => overlapping(await zipOf({ 'a.csv': csv.repeat(100) }, { compress: false }), 5),
    ],
    ['a password', async () => locked(await plain())],
    ['another kind of file', () => Promise.resolve(Buffer.from(`<!doctype html>${'x'.repeat(500)}`))],
    ['half of itself', async () => (await plain()).subarray(0, 60)],
  ])('with %s is refused in words, and nothing of it is left', async (_, make) => {
    const { outside, folder } = nested()
    const server = await archiveService({ bytes: await make() })
    const { fetched, downloads, store } = await deskAt(server, { folder, raw: { unpack: true } })
    const ended = await fetched(report)
    expect(ended.state).toMatchObject({
      kind: 'failed',
      failure: { kind: 'malformed', message: expect.stringMatching(/\.$/) },
    })
    expect([namesIn(outside), namesIn(folder)]).toEqual([['Downloads'], []])
    await downloads.cancel(ended.id)
    expect(await store.run('downloads/list', undefined)).toEqual([])
  })

  it.each([
    ['names that differ by capitals alone', { 'one.csv': csv, 'ONE.csv': `${csv}x` }, 2],
    ['programs beside its table', { 'report.csv': csv, 'run.exe': 'MZ', 'desktop.ini': '' }, 1],
    ['folders in folders', { 'a/b/c/report.csv': csv }, 1],
    ['no table', { 'readme.txt': 'Nothing here' }, 0],
  ])('with %s is saved whole; tables alone lie beside it', async (_, files, tables) => {
    const { outside, folder } = nested()
    const bytes = await zipOf(files)
    const { fetched } = await deskAt(await archiveService({ bytes }), { folder, raw: { unpack: true } })
    const ended = await fetched(report)
    expect(ended.state.kind).toBe('saved')
    expect((await read(folder, ended.file)).equals(bytes)).toBe(true)
    expect(namesIn(outside)).toEqual(['Downloads'])
    const others = namesIn(folder).filter((name) => name !== ended.file)
    expect(others).toHaveLength(tables)
    for (const name of others) expect(name).toMatch(/^Acme Report 2026-11-19 Direct.*\.csv$/)
  })
})

const hostileNames = [
  '../../x',
  '..\\..\\x',
  '/etc/passwd',
  'C:\\Windows\\x',
  'CON',
  'COM1.txt',
  'x'.repeat(4000),
  '中'.repeat(4000),
  '👩🏽‍💻'.repeat(300),
  'a\0b',
  '\u202Ecod.exe',
  '.hidden',
  'ends. . .',
  'x:stream',
  '..',
  ' ',
  '\n',
  '~',
  '$(id)',
  '{account}',
  '%2e%2e%2f',
]

describe('a hostile name', () => {
  it.each(hostileNames)(
    '%j stays in its folder, as the report, the instance, the account and the pattern',
    async (name) => {
      const { outside, folder } = nested()
      const bytes = await plain()
      const server = await archiveService({ bytes, name, instance: name })
      const patterns = [usualRawSettings.fileNames, '{name}', '{instance}/{account}', name]
      // At each change two of them in turn.
      const half = hostileNames.indexOf(name) % 2
      const taken = patterns.filter((_, place) => isLong || place % 2 === half)
      for (const fileNames of taken) {
        const named = account({ name, address: server.address })
        const { fetched } = await deskAt(server, { folder, raw: { fileNames }, account: named })
        const ended = await fetched(report)
        expect(ended.state, fileNames).toMatchObject({ kind: 'saved' })
        expect((await read(folder, ended.file)).equals(bytes)).toBe(true)
        expect(Buffer.byteLength(ended.file)).toBeLessThan(230)
        expect(ended.file).not.toMatch(/[/\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}]|^[. ]|[. ]$/u)
        expect(ended.file).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d) *(\.|$)/i)
      }
      expect(namesIn(outside)).toEqual(['Downloads'])
      expect(namesIn(folder)).toHaveLength(taken.length)
    },
  )
})

describe('a hostile address', () => {
  it.each([
    'file:///etc/passwd',
    'ftp://127.0.0.1/a.zip',
    'http://192.0.2.1/a.zip',
    'http://files.example/a.zip',
    'https://me:secret@files.example/a.zip',
    'javascript:alert(1)',
    'data:application/zip;base64,UEs=',
    '\\\\server\\share\\a.zip',
    'not an address',
    '',
  ])('%j is not fetched from: it is said, and nothing is left', async (url) => {
    const { outside, folder } = nested()
    const server = await archiveService({ bytes: await plain(), url })
    const { fetched } = await deskAt(server, { folder })
    const ended = await fetched(report)
    expect(ended.state).toMatchObject({
      kind: 'failed',
      failure: { kind: 'malformed', message: expect.stringMatching(/\.$/) },
    })
    expect([namesIn(outside), namesIn(folder)]).toEqual([['Downloads'], []])
    expect(server.requests.every(({ path }) => path.startsWith('/v1/raw/'))).toBe(true)
  })

  it('never sees the token, nor anything else of the account', async () => {
    const server = await archiveService({ bytes: await plain() })
    const { fetched } = await deskAt(server)
    const ended = await fetched(report)
    expect(ended).toMatchObject({ state: { kind: 'saved' }, host: new URL(server.address).host })
    const [fetch] = server.requests.filter(({ path }) => path === '/archive.zip')
    expect(fetch).toMatchObject({ method: 'GET', body: '' })
    expect(Object.keys(fetch?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
    expect(JSON.stringify(fetch)).not.toContain(TOKEN)
  })
})
