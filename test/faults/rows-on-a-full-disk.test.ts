import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { rpcClient } from '../../src-main/lib/rpc-client.ts'
import type { RowsCalls } from '../../src-main/rows/engine/calls.ts'
import { DeskFailure, failureOf } from '../../src-shared/desk/desk-failure.ts'
import type { RowsFileId } from '../../src-shared/rows/rows-file.ts'
import type { Instant, OwnerId } from '../../src-shared/values/ids.ts'
import { randomFrom } from '../helpers/random.ts'
import { rowsLine } from '../src-main/rows/helpers.ts'
import { fillUp, tinyDisk, whyNoTinyDisk } from './tiny-disk.ts'

const why = whyNoTinyDisk()
const onTinyDisk = why === null ? describe : describe.skip

onTinyDisk(`reading rows in on a full disk${why === null ? '' : ` (skipped: ${why})`}`, () => {
  it.each([
    ['from the beginning', 0],
    ['while rows are written', 700],
  ])('is refused in words %s, and leaves nothing half', async (_, left) => {
    const disk = tinyDisk(8192)
    const elsewhere = mkdtempSync(join(tmpdir(), 'traffic-desk-rows-'))
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
    const source = join(elsewhere, 'report.csv')
    const random = randomFrom(11)
    const cell = () => Math.floor(random() * 2 ** 52).toString(36)
    writeFileSync(source, `A,B\n${Array.from({ length: 60_000 }, () => `${cell()},${cell()}\n`).join('')}`)
    mkdirSync(join(disk, 'rows', 'account=owner-1'), { recursive: true })
    const filler = fillUp(disk)
    if (left > 0) {
      rmSync(filler)
      writeFileSync(filler, Buffer.alloc((8192 - left) * 1024))
    }
    const engine = rpcClient<RowsCalls>({
      open: () => rowsLine(disk),
      gone: () => new DeskFailure({ kind: 'internal', message: 'Gone' }),
      closed: () => new DeskFailure({ kind: 'cancelled', message: 'Closed' }),
    })
    onTestFinished(() => engine.close())
    const about = {
      ...{ id: 'file-1' as RowsFileId, owner: 'owner-1' as OwnerId, report: null },
      ...{ name: 'report.csv', type: null, readAt: 1000 as Instant },
    }
    const readIn = () => engine.call('readIn', { reading: 'one', source, about })
    expect(failureOf(await readIn().catch((error: unknown) => error))).toMatchObject({
      kind: 'disk',
      message: 'The disk is full. Free some space and try again.',
    })
    expect(readdirSync(join(disk, 'rows', 'account=owner-1'))).toEqual([])
    rmSync(filler)
    expect((await readIn()).entry.count).toBe(60_000)
  })
})
