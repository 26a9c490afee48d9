import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RawReport } from '../../../src-shared/service/answers.ts'
import { runningSandbox } from '../../helpers/running-sandbox.ts'
import type { RunningSandbox } from '../../helpers/running-sandbox.ts'
import { account, downloadsFrom, namesIn, read, readyReport } from '../../src-main/raw/downloads/helpers.ts'
import { unpack } from '../../src-main/sandbox/raw/read-archive.ts'
import { tinyDisk, whyNoTinyDisk } from '../tiny-disk.ts'

// Every attempt has a thread of its own, and a machine that has much to do is slow, not wrong.
vi.setConfig({ testTimeout: 60_000 })

let running: RunningSandbox
let record: RawReport
let bytes: Buffer
beforeAll(async () => {
  running = await runningSandbox()
  ;({ record, bytes } = await readyReport(running, 'Everything'))
})
afterAll(() => running.close())
beforeEach(() => running.control('DELETE', '/faults'))

const whyNot = whyNoTinyDisk()
if (whyNot !== null) console.log(`Full disks are not tried: ${whyNot}`)

describe.skipIf(whyNot !== null)('a disk that is full', () => {
  const desk = (folder: string, unpacked = false) =>
    downloadsFrom(running.client(), running.sandbox.address, { folder, raw: { unpack: unpacked } })

  it('is noticed before anything is fetched, and gone on with when there is room', async () => {
    const folder = tinyDisk(Math.ceil(bytes.length / 1024) + 200)
    const filler = join(folder, 'filler')
    writeFileSync(filler, Buffer.alloc(250 * 1024))
    const { downloads, until } = await desk(folder)
    const started = await downloads.start({ account: account().id, report: record.id, choose: false })
    if (!started) throw new TypeError('Nothing was started')
    await until(started.id, ({ state }) => state.as === 'paused' && state.why === 'disk')
    await rm(filler)
    const ended = await until(started.id, ({ state }) => state.as === 'saved')
    expect((await read(folder, ended.file)).equals(bytes)).toBe(true)
    expect(namesIn(folder)).toEqual([ended.file])
  })

  it('may become so at any time: what is there stays, and it goes on', async () => {
    const folder = tinyDisk(Math.ceil(bytes.length / 1024) + 200)
    const filler = join(folder, 'filler')
    await running.fault({
      path: 'download',
      does: { kind: 'drip', bytes: Math.ceil(bytes.length / 20), everyMilliseconds: 10 },
    })
    const { downloads, until } = await desk(folder)
    const started = await downloads.start({ account: account().id, report: record.id, choose: false })
    if (!started) throw new TypeError('Nothing was started')
    await until(started.id, ({ state }) => state.as === 'running' && state.got > 0)
    const room = Math.floor(bytes.length / 2)
    writeFileSync(filler, Buffer.alloc(room + 200 * 1024))
    await until(started.id, ({ state }) => state.as === 'paused' && state.why === 'disk')
    expect(namesIn(folder).filter((name) => name.endsWith('.part'))).toHaveLength(1)
    await rm(filler)
    const ended = await until(started.id, ({ state }) => state.as === 'saved')
    expect((await read(folder, ended.file)).equals(bytes)).toBe(true)
    expect(namesIn(folder)).toEqual([ended.file])
  })

  it('keeps the archive where there is no room for its table, and puts that beside it later', async () => {
    const { text } = await unpack(bytes)
    const folder = tinyDisk(Math.ceil((bytes.length + text.length) / 1024) + 200)
    const filler = join(folder, 'filler')
    writeFileSync(filler, Buffer.alloc(Math.ceil(text.length / 2)))
    const { downloads, until } = await desk(folder, true)
    const started = await downloads.start({ account: account().id, report: record.id, choose: false })
    if (!started) throw new TypeError('Nothing was started')
    const paused = await until(started.id, ({ state }) => state.as === 'paused' && state.why === 'disk')
    expect(namesIn(folder)).toEqual([paused.file, 'filler'])
    await rm(filler)
    const ended = await until(started.id, ({ state }) => state.as === 'saved')
    const table = ended.file.replace(/\.zip$/, '.csv')
    expect(namesIn(folder)).toEqual([table, ended.file])
    expect((await read(folder, table)).toString()).toBe(text)
  })
})
