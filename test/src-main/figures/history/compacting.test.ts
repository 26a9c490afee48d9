import { rmSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { checkAsyncProperty } from '../../../helpers/properties.ts'
import { engineForAll } from '../engine/engine-thread.ts'
import { newHistory, oneDay, place } from './histories.ts'
import type { OneDay, TestHistory } from './histories.ts'

const { engine, history: folder, end } = engineForAll()
afterAll(end)

const begin = () => newHistory(engine, folder)

const dates = [1, 2, 3, 4, 5, 6, 7, 8]
const step = fc.oneof(
  { weight: 5, arbitrary: oneDay },
  { weight: 1, arbitrary: fc.subarray(dates).map((settled) => ({ settled })) },
)

const plainDay = (date: number, changes: Partial<OneDay> = {}): OneDay => ({
  ...{ date, codes: ['UE'], rows: [['A', date, date, 0, 0, 1]], totalsAlone: false },
  ...changes,
})

async function filesOf(kept: TestHistory): Promise<number> {
  expect(kept.files()).toEqual(await kept.catalogued())
  return kept.files().length
}

describe('a month in one file', () => {
  it('answers as its days did, whatever was replaced before and after, and whichever days are asked about', async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 16 }),
      fc.subarray(dates),
      async (steps, some) => {
        const kept = begin()
        for (const each of [...steps, { settled: dates }]) {
          if ('date' in each) {
            await kept.keep(each)
            continue
          }
          const [said, answers] = [await kept.said(), [await kept.answers(dates), await kept.answers(some)]]
          await kept.compact((date) => each.settled.includes(date))
          expect(await kept.said()).toEqual(said)
          expect([await kept.answers(dates), await kept.answers(some)]).toEqual(answers)
        }
        await filesOf(kept)
      },
    )
    await checkAsyncProperty('compaction', property, 12)
  }, 120_000)

  it('takes the settled days of the same columns, and leaves the others', async () => {
    const kept = begin()
    for (const date of [1, 2, 3, 4]) await kept.keep(plainDay(date))
    for (const date of [5, 6]) await kept.keep(plainDay(date, { codes: [], rows: [] }))
    await kept.keep(plainDay(7, { totalsAlone: true }))
    await kept.compact((date) => date !== 4)
    expect(await filesOf(kept)).toBe(4)
    await kept.compact()
    expect(await filesOf(kept)).toBe(3)
    await kept.compact()
    expect(await filesOf(kept)).toBe(3)
  })

  it('lets files go only when nobody reads them any more', async () => {
    const kept = begin()
    for (const date of [1, 2, 3]) await kept.keep(plainDay(date))
    const before = kept.files()
    const tables = await kept.history.list(place)
    const [first] = tables
    if (!first) throw new Error('Nothing is kept')
    await kept.history.holding(tables, async () => {
      await kept.compact()
      expect(kept.files()).toEqual(expect.arrayContaining(before))
      // Who began later holds them on.
      await kept.history.holding([first], () => Promise.resolve())
      expect(kept.files()).toEqual(expect.arrayContaining(before))
    })
    expect(kept.files()).toEqual(await kept.catalogued())
    expect(kept.files()).toHaveLength(1)
    await expect(kept.history.holding(tables, () => Promise.reject(new Error('ended')))).rejects.toThrow(
      'ended',
    )
  })

  it('stays as it is where one of its files cannot be read', async () => {
    const kept = begin()
    for (const date of [1, 2, 3]) await kept.keep(plainDay(date))
    const [first = ''] = kept.files()
    writeFileSync(first, 'x', { flag: 'a' })
    const said = await kept.history.list(place)
    await kept.compact()
    expect(await kept.history.list(place)).toEqual(said)
    rmSync(first)
    await kept.compact()
    expect(await kept.history.list(place)).toEqual(said)
  })

  it('keeps its days where somebody looked for them in the files before', async () => {
    const kept = begin()
    for (const date of [1, 2, 3]) await kept.keep(plainDay(date))
    const before = await kept.history.list(place)
    await kept.compact()
    const after = await kept.history.list(place)
    await kept.history.forget(before)
    expect(await kept.history.list(place)).toEqual(after)
    await kept.history.forget(after.slice(1))
    expect(await kept.history.list(place)).toEqual(after.slice(0, 1))
  })

  it('leaves no file where the catalogue refuses it', async () => {
    const kept = begin()
    for (const date of [1, 2, 3]) await kept.keep(plainDay(date))
    const files = kept.files()
    const refusing: typeof kept.store = {
      ...kept.store,
      run: (name, argument) =>
        name === 'tables/move' ? Promise.reject(new Error('full')) : kept.store.run(name, argument),
    }
    await expect(kept.over(refusing).compact()).rejects.toThrow('full')
    expect(kept.files()).toEqual(files)
  })

  it('is let go when the last of its days is replaced', async () => {
    const kept = begin()
    for (const date of [1, 2, 3]) await kept.keep(plainDay(date))
    await kept.compact()
    const [month = ''] = kept.files()
    await kept.keep(plainDay(1))
    await kept.keep(plainDay(2))
    expect(kept.files()).toContain(month)
    await kept.keep(plainDay(3))
    expect(kept.files()).not.toContain(month)
    expect(await filesOf(kept)).toBe(3)
  })
})
