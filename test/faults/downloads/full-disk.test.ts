import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { plainBehaviour } from '#main/sandbox/contracts.ts'
import { hasEnded, namesIn, read } from '#test/src-main/raw/downloads/helpers.ts'
import { unpack } from '#test/src-main/sandbox/raw/read-archive.ts'
import { tinyDisk, whyNoTinyDisk } from '../tiny-disk.ts'
import { readyForAll } from '#test/src-main/raw/downloads/ready-report.ts'

const ready = readyForAll()

const whyNot = whyNoTinyDisk()
if (whyNot !== null) console.log(`Full disks are not tried: ${whyNot}`)

describe.skipIf(whyNot !== null)('a disk that is full', () => {
  const desk = (folder: string, unpacked = false) => ready.desk({ folder, raw: { unpack: unpacked } })

  it('is noticed before anything is fetched, and gone on with when there is room', async () => {
    const folder = tinyDisk(Math.ceil(ready.bytes.length / 1024) + 200)
    const filler = join(folder, 'filler')
    writeFileSync(filler, Buffer.alloc(250 * 1024))
    const { started, until } = await desk(folder)
    const id = await started(ready.record.id)
    await until(id, ({ state }) => state.kind === 'paused' && state.why === 'disk')
    await rm(filler)
    const ended = await until(id, ({ state }) => state.kind === 'saved')
    expect((await read(folder, ended.file)).equals(ready.bytes)).toBe(true)
    expect(namesIn(folder)).toEqual([ended.file])
  })

  it('may become so at any time: what is there stays, and it goes on', async () => {
    const folder = tinyDisk(Math.ceil(ready.bytes.length / 1024) + 200)
    const filler = join(folder, 'filler')
    await ready.running.fault({
      path: 'download',
      does: { kind: 'drip', bytes: Math.ceil(ready.bytes.length / 20), everyMilliseconds: 100 },
    })
    const { started, until } = await desk(folder)
    const id = await started(ready.record.id)
    await until(id, ({ state }) => state.kind === 'running' && state.done > 0)
    const room = Math.floor(ready.bytes.length / 2)
    writeFileSync(filler, Buffer.alloc(room + 200 * 1024))
    await until(id, ({ state }) => state.kind === 'paused' && state.why === 'disk')
    expect(namesIn(folder).filter((name) => name.endsWith('.part'))).toHaveLength(1)
    await rm(filler)
    const ended = await until(id, ({ state }) => state.kind === 'saved')
    expect((await read(folder, ended.file)).equals(ready.bytes)).toBe(true)
    expect(namesIn(folder)).toEqual([ended.file])
  })

  it('is not filled to the last byte: something is left for other programs', async () => {
    const disk = 8 * 1024 * 1024
    const folder = tinyDisk(disk / 1024)
    const filler = join(folder, 'filler')
    // Twice as much as is missing is free, and half of it belongs to the twentieth that others find.
    const left = ready.bytes.length + disk / 40
    writeFileSync(filler, Buffer.alloc(disk - left))
    const { started, until } = await desk(folder)
    const id = await started(ready.record.id)
    await until(id, ({ state }) => state.kind === 'paused' && state.why === 'disk')
    expect(namesIn(folder).filter((name) => name.endsWith('.zip'))).toEqual([])
    await rm(filler)
    await until(id, ({ state }) => state.kind === 'saved')
  })

  it.each([
    ['the record believed where the answer has no length', 'unpacked', true, 'paused'],
    ['the answer believed where it has one', 'unpacked', false, 'saved'],
  ] as const)('has its room checked with %s', async (_, fileSizes, downloadChunks, end) => {
    const { raw, downloadChunks: before } = plainBehaviour
    await ready.running.behave({ raw: { fileSizes }, downloadChunks })
    onTestFinished(() => ready.running.behave({ raw, downloadChunks: before }))
    const folder = tinyDisk(Math.ceil(ready.bytes.length / 1024) + 300)
    const { started, until } = await desk(folder)
    const id = await started(ready.record.id)
    const stands = await until(id, ({ state }) => state.kind === 'paused' || hasEnded({ state }))
    expect(stands.state).toMatchObject(end === 'paused' ? { kind: end, why: 'disk', done: 0 } : { kind: end })
  })

  it('keeps the archive where there is no room for its table, and puts that beside it later', async () => {
    const { text } = await unpack(ready.bytes)
    const folder = tinyDisk(Math.ceil((ready.bytes.length + text.length) / 1024) + 200)
    const filler = join(folder, 'filler')
    writeFileSync(filler, Buffer.alloc(Math.ceil(text.length / 2)))
    const { started, until } = await desk(folder, true)
    const id = await started(ready.record.id)
    const paused = await until(id, ({ state }) => state.kind === 'paused' && state.why === 'disk')
    expect(namesIn(folder)).toEqual([paused.file, 'filler'])
    await rm(filler)
    const ended = await until(id, ({ state }) => state.kind === 'saved')
    const table = ended.file.replace(/\.zip$/, '.csv')
    expect(namesIn(folder)).toEqual([table, ended.file])
    expect((await read(folder, table)).toString()).toBe(text)
  })
})
