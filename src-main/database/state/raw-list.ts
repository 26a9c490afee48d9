import * as v from 'valibot'
import { noLimits } from '#shared/api/answers.ts'
import type { ProcessingLimits, RawListRow, RawReport, Unknown } from '#shared/api/answers.ts'
import { lifeOf } from '#shared/raw/list.ts'
import type { RawListColumn, RawListQuery, RawListSort, ListedReport } from '#shared/raw/list.ts'
import { byCodePoints } from '#shared/values/text.ts'
import { timeOf } from '#shared/values/timestamp.ts'
import type { InstanceId, RawReportId } from '#shared/values/ids.ts'
import { branded, day, json } from '#shared/values/schemas.ts'

const asText = v.string()
const timestamp = v.optional(
  v.nullable(
    v.pipe(
      v.string(),
      v.check((moment) => timeOf(moment) !== null),
    ),
  ),
  null,
)
const count = v.nullable(v.number())
const unknownMembers: v.GenericSchema<unknown, Unknown> = v.record(v.string(), v.unknown())

const reportId = branded<RawReportId>()
const nullableDay = v.nullable(day)

/**
 * Members of rows and records. An invalid row is skipped, which hides its report until the next list. A member that is
 * added later therefore needs a default: rows that were stored before lack it.
 */
const life = {
  id: reportId,
  name: asText,
  type: asText,
  requested: timestamp,
  created: timestamp,
  failed: timestamp,
  timed_out: timestamp,
  cancelled: timestamp,
  status: asText,
  expires: timestamp,
  unknown: unknownMembers,
}

/** Stored form of a list row. */
export const storedRow = json<v.GenericSchema<unknown, RawListRow>>(v.object({ ...life, instance: asText }))

const record: v.GenericSchema<unknown, RawReport> = v.object({
  ...life,
  start: nullableDay,
  end: nullableDay,
  instance_id: v.nullable(branded<InstanceId>()),
  instance_name: asText,
  columns: v.object({ standard: v.array(asText), additional: v.nullable(v.array(v.number())) }),
  filters: v.nullable(
    v.array(v.object({ column: asText, operator: v.exactOptional(asText), value: v.exactOptional(asText) })),
  ),
  send_email: v.nullable(v.boolean()),
  file_name: v.nullable(asText),
  file_size: count,
  rows: count,
  alerted: timestamp,
  processing_minutes: count,
})

const limits: v.GenericSchema<unknown, ProcessingLimits> = v.object({
  minutes_total: count,
  api_concurrent: count,
  dashboard_concurrent: count,
  minutes_available: count,
})

/** Stored form of a full record; null if invalid. */
export const storedRecord = v.fallback(v.nullable(json(record)), null)

export const storedLimits = v.fallback(json(limits), noLimits)
export const storedUsage = v.fallback(json(unknownMembers), {})

/** Newest first, then by id. Tie-breaker of all sorts. */
const newestFirst = (one: RawListRow, other: RawListRow): number =>
  byMoment(other.requested, one.requested) || byCodePoints(one.id, other.id)

/** Missing times sort first. */
function byMoment(one: string | null, other: string | null): number {
  const [left, right] = [timeOf(one) ?? -Infinity, timeOf(other) ?? -Infinity]
  return left === right ? 0 : left < right ? -1 : 1
}

type Compare = (one: RawListRow, other: RawListRow) => number

const text =
  (column: 'name' | 'instance' | 'type' | 'status'): Compare =>
  (one, other) =>
    byCodePoints(one[column], other[column])
const moment =
  (column: 'requested' | 'created' | 'failed' | 'timed_out' | 'cancelled' | 'expires'): Compare =>
  (one, other) =>
    byMoment(one[column], other[column])

const comparisons: Readonly<Record<RawListColumn, Compare>> = {
  name: text('name'),
  instance: text('instance'),
  type: text('type'),
  requested: moment('requested'),
  created: moment('created'),
  failed: moment('failed'),
  timed_out: moment('timed_out'),
  cancelled: moment('cancelled'),
  status: text('status'),
  expires: moment('expires'),
}

function bySort(sort: readonly RawListSort[]): Compare {
  const keys = sort.map(({ column, direction }) => ({
    compare: comparisons[column],
    sign: direction === 'asc' ? 1 : -1,
  }))
  return (one, other) => {
    for (const { compare, sign } of keys) {
      const order = compare(one, other) * sign
      if (order !== 0) return order
    }
    return newestFirst(one, other)
  }
}

/** Broad match on the name (the first column), ignoring case. */
function matcher({ search, startsWith }: RawListQuery): (row: RawListRow) => boolean {
  const wanted = search.toLowerCase()
  return ({ name }) =>
    startsWith ? name.toLowerCase().startsWith(wanted) : name.toLowerCase().includes(wanted)
}

/** Returns a page of a list like raw/table (specification: raw/table). A page beyond the last is empty. */
export function pageOf(
  rows: readonly RawListRow[],
  query: RawListQuery,
): { readonly rows: readonly RawListRow[]; readonly results: number; readonly pages: number } {
  const found = rows.filter(matcher(query)).sort(bySort(query.sort))
  const { page, limit } = query
  return {
    rows: found.slice((page - 1) * limit, page * limit),
    results: found.length,
    pages: Math.ceil(found.length / limit),
  }
}

/** Recent durations of reports, by lower-case type name. */
export type UsualDurations = ReadonlyMap<string, NonNullable<ListedReport['usual']>>

/** Number of recent reports per type that count. */
const lately = 20

type Done = { readonly type: string; readonly created: number; readonly took: number }

function doneFrom(row: RawListRow): Done[] {
  const [requested, created] = [timeOf(row.requested), timeOf(row.created)]
  if (requested === null || created === null || lifeOf(row).state !== 'ready') return []
  const took = created - requested
  // Contradictory times are ignored.
  return took >= 0 ? [{ type: row.type.toLowerCase(), created, took }] : []
}

/** Returns the shortest and longest recent duration per type, in ms, by the service's clock. */
export function usualDurations(rows: readonly RawListRow[]): UsualDurations {
  const latest = rows.flatMap(doneFrom).sort((a, b) => b.created - a.created)
  const byType = new Map<string, number[]>()
  for (const { type, took } of latest) {
    const taken = byType.get(type) ?? []
    if (taken.length < lately) byType.set(type, [...taken, took])
  }
  return new Map(
    [...byType].map(([type, taken]) => [type, { shortest: Math.min(...taken), longest: Math.max(...taken) }]),
  )
}
