import * as v from 'valibot'
import { noLimits } from '#shared/api/answers.ts'
import type { ProcessingLimits, RawListRow, RawReport, Unknown } from '#shared/api/answers.ts'
import type { InstanceId, RawReportId } from '#shared/values/ids.ts'
import { branded, day } from '#shared/values/schemas.ts'

const asText = v.string()
const timestamp = v.nullable(
  v.pipe(
    v.string(),
    v.check((moment) => !Number.isNaN(Date.parse(moment))),
  ),
)
const count = v.nullable(v.number())
const unknown: v.GenericSchema<unknown, Unknown> = v.record(v.string(), v.unknown())

const reportId = branded<RawReportId>()
const nullableDay = v.nullable(day)

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
  unknown,
}

const listRow: v.GenericSchema<unknown, RawListRow> = v.object({ ...life, instance: asText })

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

function parsed<T>(schema: v.GenericSchema<unknown, T>, text: unknown): T | undefined {
  try {
    const read = v.safeParse(schema, JSON.parse(String(text)))
    return read.success ? read.output : undefined
  } catch {
    return undefined
  }
}

/** A list row as it was kept; undefined where the text is none. */
export const listRowFrom = (text: unknown): RawListRow | undefined => parsed(listRow, text)

/** A full record as it was kept. */
export const recordFrom = (text: unknown): RawReport | undefined => parsed(record, text)

export const limitsFrom = (text: unknown): ProcessingLimits => parsed(limits, text) ?? noLimits

export const usageFrom = (text: unknown): Unknown => parsed(unknown, text) ?? {}
