import * as v from 'valibot'
import type { DownloadId } from '../downloads/download.ts'
import type {
  RawEvery,
  RawRequestId,
  RawSchedule,
  RawScheduleId,
  RawTemplate,
  RawTemplateId,
} from '../raw/requests.ts'
import type { RawDraft } from '../raw/draft.ts'
import { rawListColumns } from '../raw/list.ts'
import type { RawListQuery } from '../raw/list.ts'
import { limits } from '../api/parameters.ts'
import { operatorNames, rawTypes } from '../api/raw-columns.ts'
import type { RawReportId } from '../values/ids.ts'
import { presetNames } from '../views/period.ts'
import { branded, day } from '../values/schemas.ts'
import { instanceId, pageNumber, shortText } from './schemas.ts'

const uuid = v.pipe(v.string(), v.uuid())

export const rawReportId = branded<RawReportId>(v.pipe(v.string(), v.minLength(1), v.maxLength(1000)))
export const rawRequestId = branded<RawRequestId>(uuid)
export const rawTemplateId = branded<RawTemplateId>(uuid)
export const rawScheduleId = branded<RawScheduleId>(uuid)
export const downloadId = branded<DownloadId>(uuid)

export const rawListQuery: v.GenericSchema<unknown, RawListQuery> = v.strictObject({
  search: shortText,
  startsWith: v.boolean(),
  sort: v.pipe(
    v.array(v.strictObject({ column: v.picklist(rawListColumns), direction: v.picklist(['asc', 'desc']) })),
    v.maxLength(limits.sortKeys),
  ),
  page: pageNumber,
  limit: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(limits.rowsPerPageByDefault),
    v.maxValue(limits.rowsPerPage),
  ),
})

type Text = v.GenericSchema<string>

/** What a draft holds beside its days; whether it is right is for `checkDraft` to say. */
const entriesWith = (name: Text, value: Text) => ({
  type: v.picklist(rawTypes),
  instance: v.nullable(instanceId),
  name,
  standard: v.pipe(v.array(shortText), v.maxLength(100)),
  additional: v.pipe(v.array(v.pipe(v.number(), v.integer())), v.maxLength(1000)),
  filters: v.pipe(
    v.array(
      v.strictObject({
        column: shortText,
        operator: v.nullable(v.picklist(operatorNames)),
        value,
      }),
    ),
    v.maxLength(1000),
  ),
  email: v.boolean(),
})

const draftEntries = entriesWith(shortText, v.pipe(v.string(), v.maxLength(10_000)))

export const rawDraft: v.GenericSchema<unknown, RawDraft> = v.strictObject({
  ...draftEntries,
  start: day,
  end: day,
})

/** As a form holds it: too long a name is the person's to shorten. */
const unfinishedDraft = v.strictObject({ ...entriesWith(v.string(), v.string()), start: day, end: day })

/** A draft that was stored as it was typed, right or wrong; null for what is none. */
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

const hour = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(23))

const every: v.GenericSchema<unknown, RawEvery> = v.variant('kind', [
  v.strictObject({ kind: v.literal('day'), hour }),
  v.strictObject({ kind: v.literal('week'), weekday: v.picklist([1, 2, 3, 4, 5, 6, 7]), hour }),
  v.strictObject({
    kind: v.literal('month'),
    day: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(31)),
    hour,
  }),
])

export const rawScheduleEntry: v.GenericSchema<
  unknown,
  Pick<RawSchedule, 'template' | 'when' | 'paused'>
> = v.strictObject({ template: rawTemplateId, when: every, paused: v.boolean() })
