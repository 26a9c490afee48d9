import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { packHead } from '../../../../src-main/figures/engine/packed-head.ts'
import { packRows } from '../../../../src-main/figures/engine/packed-rows.ts'
import { startReckoner } from '../../../../src-main/figures/engine/reckoner.ts'
import type { Reckoner, ReckonerOptions } from '../../../../src-main/figures/engine/reckoner.ts'
import { openSession } from '../../../../src-main/store/session.ts'
import type { StoreSession } from '../../../../src-main/store/session.ts'
import type { BlockId, TableToKeep } from '../../../../src-main/store/tables-repository.ts'
import { day } from '../../../../src-shared/values/day.ts'
import type { Instant } from '../../../../src-shared/values/ids.ts'
import { account, firstId, temporaryFolder } from '../../store/helpers.ts'
import { asked, directHeaders, reckonFile } from './blocks.ts'

function open(folder: string): StoreSession {
  const session = openSession(folder, () => undefined)
  onTestFinished(() => session.close())
  session.run('accounts/put', account())
  return session
}

function start(folder: string, options: Partial<ReckonerOptions> = {}): Reckoner {
  const reckoner = startReckoner({ folder, worker: reckonFile, ...options })
  onTestFinished(() => reckoner.close())
  return reckoner
}

/** A table of one browser on one day of November. */
function keep(
  session: StoreSession,
  date: number,
  requests: number,
  changes: Partial<TableToKeep> = {},
): BlockId {
  const on = day(`2026-11-0${date}`)
  const row = { label: { kind: 'text', text: 'A' } as const, cells: [requests, requests, 0, 0] }
  const kept = session.run('tables/keep', {
    account: firstId,
    subject: 'direct/browsers?',
    range: { start: on, end: on },
    fetchedAt: 1_000 as Instant,
    whole: true,
    rows: 1,
    head: packHead({ headers: directHeaders, all: null, total: { suspect: date } }),
    pages: [packRows([row], 4)],
    ...changes,
  })
  if (kept === null) throw new Error('Not kept')
  return kept
}

const requestsOf = async (reckoner: Reckoner, blocks: readonly BlockId[]) => {
  const reckoned = await reckoner.table({ blocks, query: asked() })
  return reckoned.kind === 'lacking' ? reckoned : reckoned.figures.table.rows.map(({ cells }) => cells[0])
}

describe('the reckoner', () => {
  it('computes each kind of figures in its thread, several questions at a time', async () => {
    const folder = temporaryFolder()
    const session = open(folder)
    const [one, two] = [keep(session, 1, 5), keep(session, 2, 7)]
    const reckoner = start(folder)
    const query = asked()
    const answers = await Promise.all([
      requestsOf(reckoner, [two, one]),
      reckoner.trend({ blocks: [one, two], query }),
      reckoner.rowsOf({ blocks: [one], query, labels: ['text A', 'text B'] }),
      reckoner.movers({ blocks: [two], before: [one], query, header: 'Requests', most: 3 }),
    ])
    expect(answers).toEqual([
      [12],
      {
        kind: 'reckoned',
        figures: {
          days: ['2026-11-01', '2026-11-02'],
          series: [
            { header: 'Suspect', values: [1, 2] },
            { header: 'Non-Suspect', values: [null, null] },
          ],
        },
      },
      { kind: 'reckoned', figures: { headers: directHeaders, all: null, rows: [[5, 5, 0, 0], null] } },
      {
        kind: 'reckoned',
        figures: { up: [{ label: { kind: 'text', text: 'A' }, now: 7, before: 5 }], down: [] },
      },
    ])
  })

  it('sees what is kept while it runs, and says which tables were replaced', async () => {
    const folder = temporaryFolder()
    const session = open(folder)
    const older = keep(session, 1, 5)
    const reckoner = start(folder)
    expect(await requestsOf(reckoner, [older])).toEqual([5])
    const newer = keep(session, 1, 6, { fetchedAt: 2_000 as Instant })
    const next = keep(session, 2, 1)
    expect(await requestsOf(reckoner, [newer, next])).toEqual([7])
    expect(await requestsOf(reckoner, [older, next])).toEqual({ kind: 'lacking', blocks: [older] })
  })

  it('names the tables that are damaged, of another form, or have totals alone', async () => {
    const folder = temporaryFolder()
    const session = open(folder)
    const sound = keep(session, 1, 5)
    const lacking = [
      keep(session, 2, 1, { head: '{broken' }),
      keep(session, 3, 1, { pages: [Uint8Array.of(1, 2, 3, 4, 5, 6)] }),
      keep(session, 4, 1, { rows: 2 }),
      keep(session, 5, 1, { pages: [packRows([], 9)], rows: 0 }),
      keep(session, 6, 1, { whole: false, rows: 0, pages: [] }),
      77 as BlockId,
    ]
    const reckoner = start(folder)
    for (const block of lacking)
      expect(await requestsOf(reckoner, [sound, block])).toEqual({ kind: 'lacking', blocks: [block] })
    expect(await requestsOf(reckoner, [sound])).toEqual([5])
  })

  it('takes totals alone for a trend', async () => {
    const folder = temporaryFolder()
    const totals = keep(open(folder), 6, 1, { whole: false, rows: 0, pages: [] })
    const trend = await start(folder).trend({ blocks: [totals], query: asked() })
    expect(trend).toMatchObject({ kind: 'reckoned', figures: { days: ['2026-11-06'] } })
  })

  it('has nothing where there is no file, or one that is none, and finds the one begun after it', async () => {
    const folder = temporaryFolder()
    const reckoner = start(folder)
    const nothing = { kind: 'lacking', blocks: [1] }
    expect(await requestsOf(reckoner, [1 as BlockId])).toEqual(nothing)
    writeFileSync(join(folder, 'desk.sqlite'), 'This is no database. '.repeat(500))
    expect(await requestsOf(reckoner, [1 as BlockId])).toEqual(nothing)
    renameSync(join(folder, 'desk.sqlite'), join(folder, 'aside'))
    const kept = keep(open(folder), 1, 5)
    expect(await requestsOf(reckoner, [kept])).toEqual([5])
  })

  it('ends its thread after a while without questions, and begins it again with the next', async () => {
    const folder = temporaryFolder()
    const kept = keep(open(folder), 1, 5)
    const starts = join(folder, 'starts')
    const counting = join(folder, 'counting.mjs')
    writeFileSync(
      counting,
      `import { appendFileSync } from 'node:fs'
       appendFileSync(${JSON.stringify(starts)}, '.')
       await import(${JSON.stringify(reckonFile)})`,
    )
    const reckoner = start(folder, { worker: counting, idle: 0 })
    await vi.waitFor(async () => {
      expect(await requestsOf(reckoner, [kept])).toEqual([5])
      expect(readFileSync(starts, 'utf8').length).toBeGreaterThan(1)
    })
    const patient = start(folder, { worker: counting })
    const before = readFileSync(starts, 'utf8').length
    for (let time = 0; time < 3; time += 1) expect(await requestsOf(patient, [kept])).toEqual([5])
    expect(readFileSync(starts, 'utf8')).toHaveLength(before + 1)
  })

  it('fails in words where its thread cannot run, or what it is asked is a mistake; then goes on', async () => {
    const folder = temporaryFolder()
    const kept = keep(open(folder), 1, 5)
    const internal = { failure: { kind: 'internal' } }
    const broken = start(folder, { worker: join(folder, 'missing.cjs') })
    await expect(broken.table({ blocks: [kept], query: asked() })).rejects.toMatchObject(internal)
    const reckoner = start(folder)
    await expect(reckoner.table({ blocks: [], query: asked() })).rejects.toMatchObject(internal)
    await expect(reckoner.table({ blocks: [kept, kept], query: asked() })).rejects.toMatchObject(internal)
    expect(await requestsOf(reckoner, [kept])).toEqual([5])
  })

  it('gives up what it was asked when it is closed, and takes nothing more', async () => {
    const folder = temporaryFolder()
    const kept = keep(open(folder), 1, 5)
    const reckoner = start(folder)
    const cancelled = { failure: { kind: 'cancelled' } }
    const waiting = expect(reckoner.table({ blocks: [kept], query: asked() })).rejects.toMatchObject(
      cancelled,
    )
    await reckoner.close()
    await waiting
    await expect(reckoner.trend({ blocks: [kept], query: asked() })).rejects.toMatchObject(cancelled)
  })
})
