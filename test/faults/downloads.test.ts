import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RawReport } from '../../src-shared/service/answers.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { runningSandbox } from '../helpers/running-sandbox.ts'
import type { RunningSandbox } from '../helpers/running-sandbox.ts'
import {
  account,
  downloadsFrom,
  namesIn,
  read,
  readyReport,
  temporaryFolder,
} from '../src-main/raw/downloads/helpers.ts'
import { unpack } from '../src-main/sandbox/raw/read-archive.ts'
import { tinyDisk, whyNoTinyDisk } from './tiny-disk.ts'

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

describe('an app that is killed while it downloads', () => {
  it('goes on at the next start: the file is right or not there, and nothing else is left', async () => {
    const random = randomFrom(seed)
    console.log(`kills: PROPERTY_SEED=${seed}`)
    const folder = temporaryFolder()
    const profile = temporaryFolder()
    const script = new URL('./downloading-process.ts', import.meta.url).pathname
    const expected = `Acme Everything 2026-10-20 to 2026-11-18 Response.zip`
    const { text } = await unpack(bytes)
    const args = [script, running.sandbox.address, running.sandbox.tokens.admin, record.id, folder, profile]
    const drip = { kind: 'drip', bytes: Math.ceil(bytes.length / 40), everyMilliseconds: 10 }
    let lives = 0
    for (let saved = false; !saved && lives < 20; lives += 1) {
      await running.fault({ path: 'download', does: drip })
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      const ended = once(child, 'exit')
      // Each life is killed somewhere in its first half second; from the eighth on they may come to their end.
      const killing = new AbortController()
      for await (const line of createInterface(child.stdout)) {
        if (line === 'begun' && lives < 8) {
          void sleep(random() * 500, undefined, { signal: killing.signal }).then(
            () => child.kill('SIGKILL'),
            () => undefined,
          )
        }
        saved = line === 'saved'
        if (saved) child.kill('SIGKILL')
      }
      killing.abort()
      await ended
      if (existsSync(join(folder, expected))) {
        expect(readFileSync(join(folder, expected)).equals(bytes)).toBe(true)
      }
    }
    expect(namesIn(folder)).toEqual([expected.replace('.zip', '.csv'), expected])
    expect((await read(folder, expected)).equals(bytes)).toBe(true)
    expect((await read(folder, expected.replace('.zip', '.csv'))).toString()).toBe(text)
    expect(lives).toBeGreaterThan(1)
  }, 120_000)
})
