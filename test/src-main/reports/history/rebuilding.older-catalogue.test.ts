import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { HistoryPath } from '#main/analytics/history-layout.ts'
import type { Store } from '#main/database/open-store.ts'
import { day } from '#shared/values/day.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { localStore } from '#test/src-main/database/helpers.ts'
import { engineForAll } from '../engine/engine-thread.ts'
import { asked } from '../engine/tables.ts'
import { place, TestHistory } from './histories.ts'
import type { OneDay } from './histories.ts'

const { engine, history: root, end } = engineForAll()
const base = mkdtempSync(join(tmpdir(), 'traffic-desk-ages-'))
afterAll(async () => {
  await end()
  rmSync(base, { recursive: true, force: true })
})

const week = 7 * 24 * 60 * 60 * 1000
const dates = [1, 2, 3, 4, 5, 6]
const plainDay = (date: number, requests: number): OneDay => ({
  ...{ date, codes: [], rows: [['A', requests, requests, 0, 0]], totalsAlone: false },
})

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...dates).map((date) => ({ kind: 'keep' as const, date })) },
  { weight: 2, arbitrary: fc.subarray(dates).map((settled) => ({ kind: 'compact' as const, settled })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'rewrite' as const }) },
)

/** The requests of each date by the newest figures that any intact file of the folder holds. */
async function heldIn(history: TestHistory): Promise<ReadonlyMap<string, number>> {
  const newest = new Map<string, { readonly fetchedAt: number; readonly requests: number }>()
  for (const file of history.files()) {
    const path = file.slice(root.length + 1) as HistoryPath
    const inspected = await engine.call('inspect', path)
    if (inspected.kind !== 'whole') continue
    for (const { range, fetchedAt, head } of inspected.entries) {
      const [requests = 0] = (JSON.parse(head) as { all: { cells: number[] } }).all.cells
      if ((newest.get(range.start)?.fetchedAt ?? 0) < fetchedAt)
        newest.set(range.start, { fetchedAt, requests })
    }
  }
  return new Map([...newest].map(([date, { requests }]) => [date, requests]))
}

/** What the desk answers for each of these dates; undefined where it has nothing. */
async function answersOf(
  { history }: TestHistory,
  wanted: Iterable<string>,
): Promise<ReadonlyMap<string, unknown>> {
  const stored = await history.list(place)
  const answers = new Map<string, unknown>()
  for (const date of wanted) {
    const tables = stored.filter(({ range, whole }) => whole && range.start === date)
    const query = asked({ range: { start: day(date), end: day(date) }, rules: true })
    const computed = tables.length > 0 ? await engine.call('table', { tables, query }) : null
    answers.set(date, computed?.kind === 'computed' ? computed.figures.table.all?.cells[0] : computed)
  }
  return answers
}

let run = 0

it('whatever the ages of catalogue and folder, each day that an intact file holds is answered by the newest of them', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 2, maxLength: 12 }),
    fc.nat(),
    fc.nat(),
    async (steps, oneAge, otherAge) => {
      run += 1
      const profile = join(base, `${run}`)
      rmSync(root, { recursive: true, force: true })
      mkdirSync(root, { recursive: true })
      mkdirSync(profile)
      let stored = new TestHistory(engine, root, localStore(profile))
      const at = (nth: number, what: string) => join(base, `${run}-${nth}-${what}`)
      for (const [nth, each] of steps.entries()) {
        if (each.kind === 'keep') await stored.keep({ ...plainDay(each.date, nth) }, {}, nth)
        else if (each.kind === 'compact') await stored.compact((date) => each.settled.includes(date))
        else await stored.history.rewriteReplaced(place.dataScope)
        cpSync(profile, at(nth, 'profile'), { recursive: true })
        cpSync(root, at(nth, 'history'), { recursive: true, preserveTimestamps: true })
      }
      // The catalogue of one time with the folder of another.
      rmSync(root, { recursive: true, force: true })
      cpSync(at(otherAge % steps.length, 'history'), root, { recursive: true, preserveTimestamps: true })
      stored = new TestHistory(engine, root, localStore(at(oneAge % steps.length, 'profile')))
      const held = await heldIn(stored)
      for (const later of [0, 2 * week, 4 * week]) {
        await stored.rebuild(later)
        expect(await answersOf(stored, held.keys())).toEqual(held)
      }
      if (existsSync(root)) await stored.compact()
      await stored.rebuild(6 * week)
      expect(await answersOf(stored, held.keys())).toEqual(held)
    },
  )
  await checkAsyncProperty('ages of catalogue and folder', property, 120)
}, 300_000)

describe('while the saved catalogue cannot be opened', () => {
  it.each(['newer', 'incompatible', 'unwritable'])(
    'no file is deleted or joined (%s), and what is saved is read',
    async (state) => {
      rmSync(root, { recursive: true, force: true })
      mkdirSync(root, { recursive: true })
      const saved = new TestHistory(engine, root)
      for (const date of [1, 2, 3]) await saved.keep(plainDay(date, date))
      const files = saved.files()
      const memory = localStore()
      const run: Store['run'] = async (name, argument) => {
        const answer = await memory.run(name, argument)
        return name === 'cache/state' ? (state as typeof answer) : answer
      }
      const held = new TestHistory(engine, root, { ...memory, run })
      await held.rebuild()
      expect(await answersOf(held, ['2026-10-01', '2026-10-03'])).toEqual(
        new Map([
          ['2026-10-01', 1],
          ['2026-10-03', 3],
        ]),
      )
      await held.compact()
      await held.history.rewriteReplaced(place.dataScope)
      for (const date of [1, 2]) await held.keep(plainDay(date, 10 + date), {}, 5)
      await held.rebuild(60 * week)
      await held.history.letOldestGo(0, [])
      expect(held.files()).toEqual(expect.arrayContaining(files))
    },
  )
})
