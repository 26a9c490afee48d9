import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Engine } from '#main/reports/engine/report-engine.ts'
import type { History } from '#main/reports/history/history.ts'
import type { Store } from '#main/database/open-store.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { localStore } from '#test/src-main/database/helpers.ts'
import { withDataScopes } from '#test/helpers/with-data-scopes.ts'
import { dataScope } from '../engine/kept-days.ts'
import { asked, directHeaders, rowOf } from '../engine/tables.ts'
import type { Row } from '../engine/tables.ts'
import { historyOver } from './history-over.ts'

export const place = { dataScope, subject: 'direct/browsers?rules=1' }
const query = asked({ rules: true, limit: 1000, sort: [{ header: 'Browser', direction: 'asc' }] })

/** A table of a day of October: rule sets that were broken, and the counts of some browsers. */
export type OneDay = {
  readonly date: number
  readonly codes: readonly string[]
  readonly rows: readonly Row[]
  readonly totalsAlone: boolean
}

const dayOfOctober = (date: number) => day(`2026-10-${String(date).padStart(2, '0')}`)

const count = fc.oneof(fc.nat({ max: 9 }), fc.constantFrom(null, 2 ** 40))

/** Days whose rule sets change from one to the next. */
export const oneDay: fc.Arbitrary<OneDay> = fc.subarray(['BT', 'SP', 'UE']).chain((codes) =>
  fc.record({
    date: fc.integer({ min: 1, max: 8 }),
    codes: fc.constant(codes),
    rows: fc
      .subarray(['A', 'B', 'é', ''])
      .chain((labels) =>
        fc.tuple(
          ...labels.map((label) =>
            fc
              .array(count, { minLength: 4 + codes.length, maxLength: 4 + codes.length })
              .map((cells): Row => [label, ...cells]),
          ),
        ),
      ),
    totalsAlone: fc.nat({ max: 7 }).map((nth) => nth === 0),
  }),
)

let set = 0

/** Begins a history in the folder of an engine, which is empty then. */
export function newHistory(engine: Engine, root: string): TestHistory {
  if (existsSync(root)) renameSync(root, `${root}-before-${(set += 1)}`)
  mkdirSync(root, { recursive: true })
  return new TestHistory(engine, root)
}

/** A history in a folder, with a catalogue of its own, whose tables are each fetched later than the one before. */
export class TestHistory {
  readonly history: History
  readonly store: Store
  readonly folder: string
  readonly #engine: Engine
  #time = 1_000

  constructor(engine: Engine, folder: string, store: Store = localStore()) {
    this.#engine = engine
    this.folder = folder
    this.store = withDataScopes(store, place.dataScope)
    this.history = historyOver({ store, engine, historyFolder: folder })
  }

  /** The same folder by another store. */
  over(store: Store): TestHistory {
    return new TestHistory(this.#engine, this.folder, store)
  }

  /** The same folder with an empty catalogue. */
  withoutCatalogue(): TestHistory {
    return new TestHistory(this.#engine, this.folder)
  }

  /** @param requests what its row of all says in the first column */
  async keep(
    { date, codes, rows, totalsAlone }: OneDay,
    about: Partial<typeof place> = {},
    requests = date,
  ): Promise<void> {
    const range = { start: dayOfOctober(date), end: dayOfOctober(date) }
    const headers = [...directHeaders, ...codes]
    const all = { label: { kind: 'all', name: null } as const, cells: headers.slice(1).map(() => requests) }
    const stored = { ...place, ...about, range, headers, all, total: { suspect: date }, doubt: null, term: 0 }
    const pages = totalsAlone ? null : [rows.slice(0, 2).map(rowOf), rows.slice(2).map(rowOf)]
    await this.history.save({ ...stored, rows: pages, fetchedAt: (this.#time += 1) as Instant })
  }

  compact(isSettled: (date: number) => boolean = () => true): Promise<void> {
    const settled = () => (table: { readonly range: { readonly start: string } }) =>
      isSettled(Number(table.range.start.slice(-2)))
    return this.history.compact(settled, new AbortController().signal, 2)
  }

  rebuild(later = 0, signal = new AbortController().signal) {
    return this.history.rebuild(signal, () => Date.now() + later)
  }

  /** What is said to be kept, without where. */
  async said() {
    const stored = await this.history.list(place)
    return stored.map(({ id, range, fetchedAt, whole, rows, bytes, doubt, head }) => ({
      ...{ id, range, fetchedAt, whole, rows, doubt, head },
      takesSpace: bytes > 0,
    }))
  }

  /** The answers over these dates, and over each of them alone. */
  async answers(dates: readonly number[]) {
    const stored = (await this.history.list(place)).filter(({ whole }) => whole)
    const of = (some: readonly number[]) =>
      stored.filter(({ range }) => some.some((date) => range.start === dayOfOctober(date)))
    const groups = [dates, ...dates.map((date) => [date])].map(of).filter((tables) => tables.length > 0)
    return Promise.all(
      groups.map(async (tables) => ({
        table: await this.#engine.call('table', { tables, query }),
        rows: await this.#engine.call('rowsOf', { tables, query, labels: ['text A', 'text é'] }),
      })),
    )
  }

  /** The paths of all files. */
  files(): string[] {
    return readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
  }

  /** The paths of the files that the catalogue knows. */
  async catalogued(): Promise<string[]> {
    const paths = await this.store.run('tables/files', undefined)
    return paths.map((path) => join(this.folder, path)).sort()
  }
}
