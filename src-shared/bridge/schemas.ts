import * as v from 'valibot'
import type { RangeWindows } from '../accounts/account.ts'
import { dimensionNames, offers, familyNames } from '../api/dimensions.ts'
import { limits } from '../api/parameters.ts'
import { operatorNames, rawTypes } from '../api/raw-columns.ts'
import type { JobId } from '../app/jobs.ts'
import { parseNetwork } from '../archives/network.ts'
import { columnForms, importDelimiters, importEncodings, maxFormer } from '../archives/rows-file.ts'
import type {
  ColumnName,
  DroppedFileId,
  ImportChoice,
  RowsFileId,
  ShapeChoice,
  TableShape,
} from '../archives/rows-file.ts'
import { maxTyped } from '../archives/typed-list.ts'
import { groupings, isDecimal, maxSortKeys } from '../archives/rows.ts'
import type { CellTest, GroupKey, GroupSort, RowsCondition, RowsQuery } from '../archives/rows.ts'
import type { DownloadId } from '../downloads/download.ts'
import { reportFormats } from '../exports/order.ts'
import type { ExportOrder } from '../exports/order.ts'
import { longestComment, longestTitle } from '../exports/paper.ts'
import type { RawDraft } from '../raw/draft.ts'
import { rawListColumns } from '../raw/list.ts'
import type { RawListQuery } from '../raw/list.ts'
import type {
  RawEvery,
  RawRequestId,
  RawSchedule,
  RawScheduleId,
  RawTemplate,
  RawTemplateId,
} from '../raw/requests.ts'
import type { OverviewQuery, ReportQuery, TableQuery, RuleName } from '../reports/query.ts'
import { maxLeftOut } from '../reports/rows.ts'
import { daysBetween } from '../values/day.ts'
import type { DayRange } from '../values/day.ts'
import type { AccountId, InstanceId, RawReportId } from '../values/ids.ts'
import { branded, day, instant } from '../values/schemas.ts'
import { presetNames } from '../views/period.ts'
import { rowsLayouts, depths } from '../views/saved-views.ts'
import type { ColumnLayout, SavedView, SavedViewId } from '../views/saved-views.ts'

/** Text with a maximum length. */
export const text = (longest: number) => v.pipe(v.string(), v.maxLength(longest))

/** An integer in an inclusive range. */
export const whole = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))

export const listOf = <S extends v.GenericSchema>(item: S, longest: number) =>
  v.pipe(v.array(item), v.maxLength(longest))

/** A non-empty list. */
export const someOf = <S extends v.GenericSchema>(item: S, longest: number) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(longest))

export const shortText = text(1000)

/** Text for the clipboard. The limit allows a large selection of rows. */
export const longText = text(20_000_000)

/** A label of the service. */
export const label = text(20_000)

/** Key of a row (reports/rows.ts: labelKey). */
export const rowKey = text(21_000)

/** A typed token. The limit rejects text that was pasted by mistake. */
export const token = v.pipe(v.string(), v.minLength(1), v.maxLength(10_000))

export const accountId = branded<AccountId>(v.pipe(v.string(), v.uuid()))

export const instanceId = branded<InstanceId>(v.pipe(v.string(), v.minLength(1), v.maxLength(1000)))

export const pageNumber = whole(1, 1e9)
export const rowsPerPage = whole(1, limits.rowsPerPage)

/** Maximum length of a range in days, above any report's. Longer ranges would only block the app. */
const MAX_DAYS = 3_660

export const range: v.GenericSchema<unknown, DayRange> = v.pipe(
  v.strictObject({ start: day, end: day }),
  v.check((value) => value.start <= value.end, 'The first day must not lie after the last'),
  v.check((value) => daysBetween(value.start, value.end) < MAX_DAYS, 'A range has ten years at most'),
)

const common = {
  family: v.picklist(familyNames),
  range,
  instance: v.nullable(instanceId),
  source: v.nullable(label),
  campaign: v.nullable(label),
  chart: v.boolean(),
}

const header = v.pipe(v.string(), v.minLength(1), v.maxLength(200))

const columnSort = v.strictObject({ header, direction: v.picklist(['asc', 'desc']) })

const figureLimit = v.strictObject({
  header,
  is: v.picklist(['at-least', 'at-most']),
  value: v.pipe(v.number(), v.finite()),
})

/** A table query from a window or a link. */
export const tableQuery: v.GenericSchema<unknown, TableQuery> = v.pipe(
  v.strictObject({
    kind: v.literal('table'),
    ...common,
    dimension: v.picklist(dimensionNames),
    filters: v.record(text(100), label),
    rates: v.boolean(),
    rules: v.boolean(),
    search: v.nullable(label),
    startsWith: v.boolean(),
    sort: listOf(columnSort, limits.sortKeys),
    where: v.exactOptional(listOf(figureLimit, limits.sortKeys)),
    without: v.exactOptional(listOf(rowKey, maxLeftOut)),
    before: v.exactOptional(range),
    page: pageNumber,
    limit: rowsPerPage,
    whole: v.boolean(),
  }),
  v.check((query) => offers(query.family, query.dimension), 'This family has no such table'),
)

export const dimension = v.picklist(dimensionNames)

/** An overview query from a window. */
export const overviewQuery: v.GenericSchema<unknown, OverviewQuery> = v.strictObject({
  kind: v.literal('overview'),
  ...common,
})

/** A report query from a window or a link. */
export const reportQuery: v.GenericSchema<unknown, ReportQuery> = v.union([overviewQuery, tableQuery])

const windowDays = v.nullable(whole(1, MAX_DAYS))

export const windows: v.GenericSchema<unknown, RangeWindows> = v.strictObject({
  tables: windowDays,
  overview: windowDays,
  lookups: windowDays,
})

/** Path of a layout: a table, such as `script/browsers`, or raw rows, such as `rows/response`. */
export const reportPath = v.pipe(
  v.string(),
  v.check((value) => {
    const [family, dimension, ...more] = value.split('/')
    if (family === 'rows')
      return more.length === 0 && rowsLayouts.some((rowsLayout) => rowsLayout === dimension)
    const known = [
      familyNames.find((familyName) => familyName === family),
      dimensionNames.find((dimensionName) => dimensionName === dimension),
    ]
    return more.length === 0 && known.every((item) => item !== undefined)
  }, 'The path of a table'),
)

export const columnLayout: v.GenericSchema<unknown, ColumnLayout> = v.strictObject({
  order: listOf(header, 200),
  hidden: listOf(header, 200),
  pinned: v.exactOptional(listOf(header, 200)),
  widths: v.record(header, v.pipe(v.number(), v.minValue(24), v.maxValue(4000))),
})

const givenName = v.pipe(v.string(), v.minLength(1), v.maxLength(100))
export const ruleCode = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const columnNumber = v.pipe(v.string(), v.regex(/^\d{1,9}$/))
export const ruleNames: v.GenericSchema<unknown, RuleName[]> = listOf(
  v.strictObject({ account: accountId, code: ruleCode, name: givenName }),
  2000,
)
export const columnNames: v.GenericSchema<unknown, ColumnName[]> = listOf(
  v.strictObject({
    ...{ account: accountId, number: columnNumber, name: givenName },
    former: v.exactOptional(listOf(givenName, maxFormer)),
  }),
  2000,
)

/** A colour as `#1a56b0`; null for the app's own. */
export const brandColour = v.nullable(v.pipe(v.string(), v.regex(/^#[\da-f]{6}$/i)))

/** An address or a range. */
export const networkText = v.pipe(
  v.string(),
  v.maxLength(100),
  v.check((typed) => parseNetwork(typed) !== undefined, 'A range of addresses is written as 198.51.100.0/24'),
)

/** Address ranges, each as `203.0.113.0/24`. */
export const neverBlocked = listOf(networkText, maxTyped)

/** Ranges to leave out of one block list: those of `neverBlocked`, and as many more. */
export const allowedRanges = listOf(networkText, 2 * maxTyped)

/** Address of a view, as written by the window. */
export const viewAddress = v.pipe(v.string(), v.startsWith('#/'), v.maxLength(100_000))

export const savedViewId = branded<SavedViewId>(v.pipe(v.string(), v.uuid()))

/** Number of past days to store; null for the view's own days. */
export const depth = v.nullable(v.picklist(depths))

export const savedView: v.GenericSchema<unknown, SavedView> = v.strictObject({
  id: savedViewId,
  name: shortText,
  address: viewAddress,
  pinned: v.boolean(),
  depth,
  start: v.boolean(),
})

export const jobId = branded<JobId>(v.pipe(v.string(), v.uuid()))

export const exportOrder: v.GenericSchema<unknown, ExportOrder> = v.variant('kind', [
  v.strictObject({
    kind: v.literal('table'),
    format: v.picklist([...reportFormats, 'clipboard']),
    rows: v.picklist(['seen', 'all']),
    query: tableQuery,
    columns: someOf(header, 200),
    before: v.exactOptional(range),
  }),
  v.strictObject({
    kind: v.literal('overview'),
    format: v.picklist([...reportFormats, 'clipboard']),
    queries: someOf(overviewQuery, familyNames.length),
    before: v.exactOptional(range),
  }),
  v.strictObject({ kind: v.literal('workbook'), query: tableQuery }),
  v.strictObject({ kind: v.literal('report'), address: viewAddress }),
  v.strictObject({
    kind: v.literal('pdf'),
    address: viewAddress,
    paper: v.exactOptional(
      v.strictObject({
        title: text(longestTitle),
        comment: text(longestComment),
        without: listOf(header, 200),
        whole: v.boolean(),
        words: v.boolean(),
        notes: v.boolean(),
        why: v.exactOptional(v.literal(false)),
      }),
    ),
  }),
])

const uuid = v.pipe(v.string(), v.uuid())

export const rawReportId = branded<RawReportId>(v.pipe(v.string(), v.minLength(1), v.maxLength(1000)))
export const rawRequestId = branded<RawRequestId>(uuid)
export const rawTemplateId = branded<RawTemplateId>(uuid)
export const rawScheduleId = branded<RawScheduleId>(uuid)
export const downloadId = branded<DownloadId>(uuid)

export const rawListQuery: v.GenericSchema<unknown, RawListQuery> = v.strictObject({
  search: shortText,
  startsWith: v.boolean(),
  sort: listOf(
    v.strictObject({ column: v.picklist(rawListColumns), direction: v.picklist(['asc', 'desc']) }),
    limits.sortKeys,
  ),
  page: pageNumber,
  limit: whole(limits.rowsPerPageByDefault, limits.rowsPerPage),
})

type Text = v.GenericSchema<string>

/** Members of a draft except its days. `checkDraft` validates them further. */
const entriesWith = (name: Text, value: Text) => ({
  type: v.picklist(rawTypes),
  instance: v.nullable(instanceId),
  name,
  standard: listOf(shortText, 100),
  additional: listOf(v.pipe(v.number(), v.integer()), 1000),
  filters: listOf(
    v.strictObject({
      column: shortText,
      operator: v.nullable(v.picklist(operatorNames)),
      value,
    }),
    1000,
  ),
  email: v.boolean(),
})

const draftEntries = entriesWith(shortText, text(10_000))

export const rawDraft: v.GenericSchema<unknown, RawDraft> = v.strictObject({
  ...draftEntries,
  start: day,
  end: day,
})

/** As typed: an overlong name is left for the user to shorten. */
const unfinishedDraft = v.strictObject({ ...entriesWith(v.string(), v.string()), start: day, end: day })

/** Parses a draft stored as typed, valid or not. Returns null if the value is no draft. */
export function readRawDraft(stored: unknown): RawDraft | null {
  const read = v.safeParse(unfinishedDraft, stored)
  return read.success ? read.output : null
}

export const rawTemplateEntry: v.GenericSchema<unknown, Omit<RawTemplate, 'id'>> = v.strictObject({
  name: shortText,
  draft: v.strictObject(draftEntries),
  period: v.picklist([...presetNames, 'last-week'] as const),
  save: v.boolean(),
})

const hour = whole(0, 23)

const every: v.GenericSchema<unknown, RawEvery> = v.variant('kind', [
  v.strictObject({ kind: v.literal('day'), hour }),
  v.strictObject({ kind: v.literal('week'), weekday: v.picklist([1, 2, 3, 4, 5, 6, 7]), hour }),
  v.strictObject({
    kind: v.literal('month'),
    day: whole(1, 31),
    hour,
  }),
])

export const rawScheduleEntry: v.GenericSchema<
  unknown,
  Pick<RawSchedule, 'template' | 'when' | 'paused'>
> = v.strictObject({ template: rawTemplateId, when: every, paused: v.boolean() })

export const rowsFileId = branded<RowsFileId>(
  v.pipe(v.string(), v.regex(/^(report|file)-./), v.maxLength(1100)),
)

export const droppedFileId = branded<DroppedFileId>(v.pipe(v.string(), v.uuid()))

/** A column's name, or a text to search for. */
export const cellText = text(20_000)

/** User's choice for tables of one shape. */
export const importChoice: v.GenericSchema<unknown, ImportChoice> = v.strictObject({
  encoding: v.exactOptional(v.picklist(importEncodings)),
  delimiter: v.exactOptional(v.picklist(importDelimiters)),
  start: v.exactOptional(v.strictObject({ line: whole(1, 1000), hasHeader: v.boolean() })),
  columns: v.exactOptional(
    listOf(
      v.strictObject({
        name: cellText,
        form: v.exactOptional(v.picklist(columnForms)),
        role: v.exactOptional(v.nullable(shortText)),
      }),
      1000,
    ),
  ),
})
export const tableShape = branded<TableShape>(v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)))
export const shapeChoice: v.GenericSchema<unknown, ShapeChoice> = v.strictObject({
  shape: tableShape,
  choice: importChoice,
})

const cellTest: v.GenericSchema<unknown, CellTest> = v.variant('kind', [
  v.strictObject({ kind: v.literal('is'), value: cellText }),
  v.strictObject({
    kind: v.picklist(['one-of', 'click-id']),
    values: someOf(cellText, maxTyped),
  }),
  v.strictObject({ kind: v.literal('contains'), value: cellText }),
  v.strictObject({ kind: v.literal('begins-with'), value: cellText }),
  v.strictObject({
    kind: v.picklist(['more-than', 'less-than']),
    value: v.pipe(v.string(), v.check(isDecimal)),
  }),
  v.strictObject({ kind: v.literal('empty') }),
  v.strictObject({
    kind: v.literal('in-network'),
    networks: someOf(v.union([v.literal(''), networkText]), maxTyped),
  }),
  v.strictObject({ kind: v.literal('once') }),
  v.strictObject({ kind: v.literal('between'), from: v.nullable(instant), to: v.nullable(instant) }),
])

const rowsCondition: v.GenericSchema<unknown, RowsCondition> = v.strictObject({
  column: cellText,
  out: v.boolean(),
  test: cellTest,
})

export const rowsQuery: v.GenericSchema<unknown, RowsQuery> = v.strictObject({
  account: accountId,
  files: someOf(rowsFileId, 1000),
  conditions: listOf(rowsCondition, 100),
  sort: listOf(v.strictObject({ column: cellText, direction: v.picklist(['asc', 'desc']) }), maxSortKeys),
})

export const groupKey: v.GenericSchema<unknown, GroupKey> = v.strictObject({
  column: cellText,
  by: v.picklist(groupings),
})

export const groupSort: v.GenericSchema<unknown, GroupSort> = v.strictObject({
  by: v.variant('kind', [
    v.strictObject({ kind: v.literal('rows') }),
    v.strictObject({ kind: v.literal('bad') }),
    v.strictObject({ kind: v.literal('bad-share') }),
    v.strictObject({ kind: v.literal('result'), result: cellText }),
    v.strictObject({ kind: v.literal('key'), place: v.picklist([0, 1, 2]) }),
  ]),
  direction: v.picklist(['asc', 'desc']),
})

/** A call over the bridge. The main process validates the argument by schema; the result is only typed. */
type Call<Schema extends v.GenericSchema, Result> = {
  readonly argument: Schema
  readonly result?: Result
}

export const call =
  <Schema extends v.GenericSchema>(argument: Schema) =>
  <Result>(): Call<Schema, Result> => ({ argument })

export const nothing = v.undefined()
export const anAccount = v.strictObject({ account: accountId })

/** Argument for an account, with further members. */
export const ofAccount = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.strictObject({ account: accountId, ...entries })
