import type { CountChange, RestatedRow, Restatement } from '#shared/reports/restated.ts'
import { dayAt } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { isSettledFor } from '../coverage/freshness.ts'
import type { Differences } from '../engine/calls.ts'
import type { Engine } from '../engine/engine.ts'
import { readHead } from './head.ts'
import type { Head } from './head.ts'

/** So many of the rows that differ are kept, and of them no more than fit into so many characters. */
const max = { rows: 200, characters: 50_000 } as const

/** Newer figures of some days, and what is kept of the same days. */
export type Compared = {
  readonly stored: readonly StoredTable[]
  readonly table: StoredTable
  /** The IANA zone in which the account's days begin. */
  readonly zone: string
  /** What claims to be of later than this was kept before the clock was set back. */
  readonly now: number
}

/** Whether all days of a table were over when it was fetched. A day that still runs goes on: that restates nothing. */
export const isOfDaysOver = ({ range, fetchedAt }: Pick<StoredTable, 'range' | 'fetchedAt'>, zone: string) =>
  dayAt(fetchedAt, zone) > range.end

/** What newer figures were compared with, and what they restate of it; null where they restate nothing. */
export type Comparison = { readonly beforeFetchedAt: Instant; readonly restatement: Restatement | null }

/**
 * What newer figures say otherwise than those that were kept after their days were over: totals than the newest ones, rows
 * than those of the whole table. Only what both have a column for is compared. Until figures are settled, counts that grow
 * are what came late: that alone restates nothing, but any count that became less does.
 * @returns null where there is nothing to compare with
 */
export async function restatementOf(
  engine: Pick<Engine, 'call'>,
  { stored, table, zone, now: time }: Compared,
): Promise<Comparison | null> {
  const isOlder = ({ fetchedAt }: StoredTable) => fetchedAt <= table.fetchedAt || fetchedAt > time
  // Newer figures stay in place: this table comes too late.
  if (stored.some((storedTable) => !isOlder(storedTable) && (storedTable.whole || !table.whole))) return null
  const over = stored.filter((storedTable) => isOlder(storedTable) && isOfDaysOver(storedTable, zone))
  const before = [...over].sort((one, other) => other.fetchedAt - one.fetchedAt)[0]
  const [then, now] = [before && readHead(before.head), readHead(table.head)]
  if (!before || !then || !now) return null
  const whole = table.whole ? over.find((storedTable) => storedTable.whole) : undefined
  const found = whole ? await differencesOf(engine, whole, table) : null
  const totals = changesIn(Object.entries(then.total), Object.entries(now.total))
  const all = changesIn(aggregateOf(then), aggregateOf(now))
  const settled = isSettledFor({ dayZone: zone }, time)
  // How old figures are that claim to be of later, nobody knows: they may have been settled.
  const isSettled = (storedTable: StoredTable) => storedTable.fetchedAt > time || settled(storedTable)
  const fell = found?.fell === true || [...totals, ...all].some(hasFallen)
  const areSumsRestated = totals.length + all.length > 0 && (fell || isSettled(before))
  const areRowsRestated = whole && found && found.differing > 0 && (fell || isSettled(whole))
  const times = { beforeFetchedAt: before.fetchedAt, afterFetchedAt: table.fetchedAt }
  if (!areSumsRestated && !areRowsRestated) return { beforeFetchedAt: before.fetchedAt, restatement: null }
  const ofAll = now.all && all.length > 0 ? [{ label: now.all.label, changes: all }] : []
  const rows = [...ofAll, ...(found?.rows ?? [])]
  const differing = found && found.differing
  const restatement = { range: table.range, ...times, totals, rows, differing }
  return { beforeFetchedAt: before.fetchedAt, restatement }
}

/** What was known and is not known any more counts as less. */
const hasFallen = ({ before, after }: CountChange) => before !== null && (after === null || after < before)

/** The rows that differ; null where nobody can tell: the newer figures are kept all the same. */
async function differencesOf(
  engine: Pick<Engine, 'call'>,
  before: StoredTable,
  after: StoredTable,
): Promise<Differences | null> {
  const computed = await engine.call('differences', { before, after, max: max.rows }).catch(() => null)
  if (computed?.kind !== 'computed') return null
  return { ...computed.figures, rows: briefly(computed.figures.rows) }
}

/** As many rows as fit. */
function briefly(rows: readonly RestatedRow[]): readonly RestatedRow[] {
  let left: number = max.characters
  const end = rows.findIndex((row) => (left -= JSON.stringify(row).length) < 0)
  return end < 0 ? rows : rows.slice(0, end)
}

type Named = readonly (readonly [name: string, value: unknown])[]

/** Counts that stand in both under one name and differ. */
function changesIn(before: Named, after: Named): CountChange[] {
  const newer = new Map(after)
  return before.flatMap(([name, value]) => {
    const now = newer.get(name)
    return isCount(value) && isCount(now) && value !== now ? [{ name, before: value, after: now }] : []
  })
}

const isCount = (value: unknown): value is number | null => typeof value === 'number' || value === null

/** The row of all, by headers. */
const aggregateOf = ({ headers, all }: Head): Named =>
  headers.slice(1).map((header, place) => [header, all?.cells[place]])
