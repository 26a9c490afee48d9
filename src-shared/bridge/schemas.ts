import * as v from 'valibot'
import type { Windows } from '../accounts/account.ts'
import { callLimits, densities, formatTags, keptLimits, themes } from '../app/settings.ts'
import type { JobId } from '../app/jobs.ts'
import type { ExportOrder } from '../exports/order.ts'
import { tableFormats } from '../exports/order.ts'
import { longestComment, longestTitle } from '../exports/paper.ts'
import { announcementKinds, savingRules } from '../raw/settings.ts'
import type { RawSettings } from '../raw/settings.ts'
import type { OverviewQuery, ReportQuery, TableQuery, RuleName } from '../reports/query.ts'
import { maxLeftOut } from '../reports/rows.ts'
import { parseNetwork } from '../archives/network.ts'
import { dimensionNames, offers, familyNames } from '../api/dimensions.ts'
import { limits } from '../api/parameters.ts'
import { daysBetween } from '../values/day.ts'
import type { DayRange } from '../values/day.ts'
import type { AccountId, InstanceId } from '../values/ids.ts'
import { branded, day } from '../values/schemas.ts'
import { rowsLayouts, depths } from '../views/saved-views.ts'
import type { ColumnLayout, SavedView, SavedViewId } from '../views/saved-views.ts'

/** Text of a size that a form field may have. */
const text = (longest: number) => v.pipe(v.string(), v.maxLength(longest))

export const shortText = text(1000)

/** What is put into the clipboard: a selection of many rows, and no more. */
export const longText = text(20_000_000)

/** A label of the service's, which may be long. */
export const label = text(20_000)

/** What tells rows of a table apart (reports/rows.ts: labelKey). */
export const rowKey = text(21_000)

/** A token as typed; its length is bounded so that nothing else is pasted whole. */
export const token = v.pipe(v.string(), v.minLength(1), v.maxLength(10_000))

export const accountId = branded<AccountId>(v.pipe(v.string(), v.uuid()))

export const instanceId = branded<InstanceId>(v.pipe(v.string(), v.minLength(1), v.maxLength(1000)))

export const pageNumber = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1e9))
export const rowsPerPage = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(limits.rowsPerPage))

/** No report goes back further; a range of millennia would keep the desk busy with counting days. */
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

/** The query of a table as it comes from a window or a link. */
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
    sort: v.pipe(v.array(columnSort), v.maxLength(limits.sortKeys)),
    where: v.exactOptional(v.pipe(v.array(figureLimit), v.maxLength(limits.sortKeys))),
    without: v.exactOptional(v.pipe(v.array(rowKey), v.maxLength(maxLeftOut))),
    before: v.exactOptional(range),
    page: pageNumber,
    limit: rowsPerPage,
    whole: v.boolean(),
  }),
  v.check((query) => offers(query.family, query.dimension), 'This family has no such table'),
)

const overviewQuery: v.GenericSchema<unknown, OverviewQuery> = v.strictObject({
  kind: v.literal('overview'),
  ...common,
})

/** A report query as it comes from a window or a link. */
export const reportQuery: v.GenericSchema<unknown, ReportQuery> = v.union([overviewQuery, tableQuery])

const windowDays = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_DAYS)))

export const windows: v.GenericSchema<unknown, Windows> = v.strictObject({
  tables: windowDays,
  overview: windowDays,
  lookups: windowDays,
})

/** The path of a table, such as `script/browsers`, or of raw rows, such as `rows/response`. */
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
  order: v.pipe(v.array(header), v.maxLength(200)),
  hidden: v.pipe(v.array(header), v.maxLength(200)),
  pinned: v.exactOptional(v.pipe(v.array(header), v.maxLength(200))),
  widths: v.record(header, v.pipe(v.number(), v.minValue(24), v.maxValue(4000))),
})

const rawEntries = {
  saving: v.picklist(savingRules),
  fileNames: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  unpack: v.boolean(),
  /** Slower than a modem, or faster than any network, is a slip of the hand. */
  bandwidth: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(10), v.maxValue(1_000_000))),
  additionalColumns: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000)),
}

export const rawSettings: v.GenericSchema<unknown, RawSettings> = v.strictObject({
  ...rawEntries,
  announce: v.strictObject(v.entriesFromList(announcementKinds, v.boolean())),
})

/** How many calls one look may make. */
export const mostCalls = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(callLimits.min),
  v.maxValue(callLimits.max),
)

/** Names of rule sets. */
export const ruleNames: v.GenericSchema<unknown, RuleName[]> = v.pipe(
  v.array(
    v.strictObject({
      account: accountId,
      code: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
      name: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
    }),
  ),
  v.maxLength(2000),
)

/** A colour as `#1a56b0`; null for the app's own. */
export const brandColour = v.nullable(v.pipe(v.string(), v.regex(/^#[\da-f]{6}$/i)))

/** Ranges of addresses, each as `203.0.113.0/24`. */
export const neverBlocked = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      v.maxLength(100),
      v.check((typed) => parseNetwork(typed) !== undefined, 'A range of addresses'),
    ),
  ),
  v.maxLength(1000),
)

/** Settings that are to change; the folder is chosen in a dialog and can only be put back here. */
export const settingChanges = v.strictObject({
  theme: v.exactOptional(v.picklist(themes)),
  density: v.exactOptional(v.picklist(densities)),
  formats: v.exactOptional(v.picklist(formatTags)),
  downloadFolder: v.exactOptional(v.null()),
  startAtLogin: v.exactOptional(v.boolean()),
  closeToTray: v.exactOptional(v.boolean()),
  keptLimit: v.exactOptional(v.picklist(keptLimits)),
  mostCalls: v.exactOptional(mostCalls),
  ruleNames: v.exactOptional(ruleNames),
  readsIn: v.exactOptional(v.boolean()),
  neverBlocked: v.exactOptional(neverBlocked),
  raw: v.exactOptional(
    v.strictObject({
      announce: v.exactOptional(
        v.strictObject(v.entriesFromList(announcementKinds, v.exactOptional(v.boolean()))),
      ),
      saving: v.exactOptional(rawEntries.saving),
      fileNames: v.exactOptional(rawEntries.fileNames),
      unpack: v.exactOptional(rawEntries.unpack),
      bandwidth: v.exactOptional(rawEntries.bandwidth),
      additionalColumns: v.exactOptional(rawEntries.additionalColumns),
    }),
  ),
})

/** The address of a view, as the window writes it. */
export const viewAddress = v.pipe(v.string(), v.startsWith('#/'), v.maxLength(100_000))

export const savedViewId = branded<SavedViewId>(v.pipe(v.string(), v.uuid()))

/** How many of the last days are kept; null for the view's own. */
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
    format: v.picklist([...tableFormats, 'clipboard']),
    rows: v.picklist(['seen', 'all']),
    query: tableQuery,
    columns: v.pipe(v.array(header), v.minLength(1), v.maxLength(200)),
    before: v.exactOptional(range),
  }),
  v.strictObject({
    kind: v.literal('overview'),
    format: v.picklist([...tableFormats, 'clipboard']),
    queries: v.pipe(v.array(overviewQuery), v.minLength(1), v.maxLength(familyNames.length)),
    before: v.exactOptional(range),
  }),
  v.strictObject({ kind: v.literal('workbook'), query: tableQuery }),
  v.strictObject({
    kind: v.literal('pdf'),
    address: viewAddress,
    paper: v.exactOptional(
      v.strictObject({
        title: text(longestTitle),
        comment: text(longestComment),
        without: v.pipe(v.array(header), v.maxLength(200)),
        words: v.boolean(),
      }),
    ),
  }),
])
