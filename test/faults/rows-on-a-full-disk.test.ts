import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { rpcClient } from '#main/workers/rpc-client.ts'
import type { RowsCalls } from '#main/archives/engine/rows-engine.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { randomFrom } from '../helpers/random.ts'
import { rowsChannel } from '../src-main/archives/helpers.ts'
import { zipOf } from '../src-main/archives/zip-of.ts'
import { fillUp, tinyDisk, whyNoTinyDisk } from './tiny-disk.ts'

const why = whyNoTinyDisk()
const onTinyDisk = why === null ? describe : describe.skip

/** An engine of rows on a disk, and what reads a file of the test in there. */
function readingOnto(disk: string) {
  const engine = rpcClient<RowsCalls>({
    open: () => rowsChannel(disk),
    gone: () => new DeskFailure({ kind: 'internal', message: 'Gone' }),
    closed: () => new DeskFailure({ kind: 'cancelled', message: 'Closed' }),
  })
  onTestFinished(() => engine.close())
  const about = {
    ...{ id: 'file-1' as RowsFileId, dataScope: 'scope-1' as DataScopeId, report: null },
    ...{ name: 'report.csv', type: null, readAt: 1000 as Instant },
  }
  return {
    importArchive: (source: string) =>
      engine.call('importArchive', { reading: 'one', source, zone: 'UTC', choices: [], about }),
    stored: () =>
      ['rows/account=scope-1', 'rows-work'].flatMap((folder) =>
        existsSync(join(disk, folder)) ? readdirSync(join(disk, folder)) : [],
      ),
  }
}

const refusalOf = async (reading: Promise<unknown>) =>
  failureOf(await reading.catch((error: unknown) => error))

/** A file that lies on another disk. */
function fileOf(name: string, bytes: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-rows-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, name), bytes)
  return join(folder, name)
}

/** Leaves so many kibibytes of a disk of so many. */
const leave = (filler: string, disk: number, left: number) =>
  writeFileSync(filler, Buffer.alloc((disk - left) * 1024))

const noRoom = { kind: 'disk', message: expect.stringContaining('Not enough space on the disk:') as string }

onTinyDisk(`reading rows in on a full disk${why === null ? '' : ` (skipped: ${why})`}`, () => {
  it.each([
    ['from the beginning', 0],
    ['while rows are written', 700],
  ])('is refused in words %s, and leaves nothing half', async (_, left) => {
    const disk = tinyDisk(8192)
    const random = randomFrom(11)
    const cell = () => Math.floor(random() * 2 ** 52).toString(36)
    const lines = Array.from({ length: 60_000 }, () => `${cell()},${cell()}\n`)
    const source = fileOf('report.csv', `A,B\n${lines.join('')}`)
    const { importArchive, stored } = readingOnto(disk)
    const filler = fillUp(disk)
    if (left > 0) {
      rmSync(filler)
      leave(filler, 8192, left)
    }
    expect(await refusalOf(importArchive(source))).toMatchObject({
      kind: 'disk',
      message: expect.stringMatching(
        left > 0 ? /^(The disk is full|Not enough space)/ : /^Not enough space/,
      ) as string,
    })
    expect(stored()).toEqual([])
    rmSync(filler)
    expect((await importArchive(source)).entry.count).toBe(60_000)
  })

  it('unpacks no archive whose tables would take what is left to other programs', async () => {
    const disk = tinyDisk(8192)
    const source = fileOf('report.zip', await zipOf({ 'report.csv': `A\n${'same\n'.repeat(100_000)}` }))
    const { importArchive, stored } = readingOnto(disk)
    const filler = join(disk, 'filler')
    // A twentieth of the disk is kept: 410 of these 800 kibibytes. The table has 489.
    leave(filler, 8192, 800)
    expect(await refusalOf(importArchive(source))).toMatchObject(noRoom)
    expect(stored()).toEqual([])
    leave(filler, 8192, 1100)
    expect((await importArchive(source)).entry.count).toBe(100_000)
  })

  it('is given up where others need the room meanwhile', async () => {
    const disk = tinyDisk(65_536)
    const line = '2026-11-20T10:11:12.345+01:00,2026-11-20T10:11:12.345+01:00\n'
    const source = fileOf('report.csv', `A,B\n${line.repeat(1_000_000)}`)
    const { importArchive, stored } = readingOnto(disk)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const refused = refusalOf(importArchive(source))
    // From then on it is looked at the disk again and again.
    while (vi.getTimerCount() === 0) await new Promise(setImmediate)
    leave(join(disk, 'filler'), 65_536, 2000)
    vi.advanceTimersByTime(250)
    expect(await refused).toMatchObject(noRoom)
    expect(stored()).toEqual([])
  })
})
