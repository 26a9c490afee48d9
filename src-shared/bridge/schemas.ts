import * as v from 'valibot'
import type { ReportQuery } from '../reports/query.ts'
import { dimensionNames, offers } from '../service/dimensions.ts'
import { familyNames } from '../service/families.ts'
import { limits } from '../service/limits.ts'
import { daysBetween, parseDay } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import type { AccountId, InstanceId } from '../values/ids.ts'

/** Text of a size that a form field may have. */
const text = (longest: number) => v.pipe(v.string(), v.maxLength(longest))

export const shortText = text(1000)

/** A label of the service's, which may be long. */
const label = text(20_000)

/** A token as typed; its length is bounded so that nothing else is pasted whole. */
export const token = v.pipe(v.string(), v.minLength(1), v.maxLength(10_000))

const branded = <T extends string>(schema: v.GenericSchema<string>) =>
  v.pipe(
    schema,
    v.transform((value) => value as T),
  )

export const accountId = branded<AccountId>(v.pipe(v.string(), v.uuid()))

const instanceId = branded<InstanceId>(v.pipe(v.string(), v.minLength(1), v.maxLength(1000)))

export const pageNumber = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1e9))
export const rowsPerPage = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(limits.rowsPerPage))

const day = v.pipe(
  v.string(),
  v.check((value) => parseDay(value) !== undefined, 'A day of the calendar, as 2026-11-20'),
  v.transform((value) => value as Day),
)

/** No report goes back further; a range of millennia would keep the desk busy with counting days. */
const MOST_DAYS = 3_660

const range: v.GenericSchema<unknown, DayRange> = v.pipe(
  v.strictObject({ start: day, end: day }),
  v.check((value) => value.start <= value.end, 'The first day must not lie after the last'),
  v.check((value) => daysBetween(value.start, value.end) < MOST_DAYS, 'A range has ten years at most'),
)

const common = {
  family: v.picklist(familyNames),
  range,
  instance: v.nullable(instanceId),
  source: v.nullable(label),
  campaign: v.nullable(label),
  chart: v.boolean(),
}

const sortKey = v.strictObject({
  column: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000)),
  direction: v.picklist(['asc', 'desc']),
})

/** A report query as it comes from a window or a link. */
export const reportQuery: v.GenericSchema<unknown, ReportQuery> = v.variant('kind', [
  v.strictObject({ kind: v.literal('overview'), ...common }),
  v.pipe(
    v.strictObject({
      kind: v.literal('table'),
      ...common,
      dimension: v.picklist(dimensionNames),
      filters: v.record(text(100), label),
      rates: v.boolean(),
      rules: v.boolean(),
      search: v.nullable(label),
      startsWith: v.boolean(),
      sort: v.pipe(v.array(sortKey), v.maxLength(limits.sortKeys)),
      page: pageNumber,
      limit: rowsPerPage,
    }),
    v.check((query) => offers(query.family, query.dimension), 'This family has no such table'),
  ),
])
