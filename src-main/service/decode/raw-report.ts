import type { RawReport } from '../../../src-shared/service/answers.ts'
import type { RawFilter } from '../../../src-shared/service/parameters.ts'
import { dayFromWire } from '../../../src-shared/values/day.ts'
import type { Day } from '../../../src-shared/values/day.ts'
import { instanceId } from '../../../src-shared/values/ids.ts'
import { malformed } from '../service-failure.ts'
import {
  count,
  decodeMembers,
  list,
  members,
  optionalMembers,
  optionalText,
  text,
  timestamp,
  whole,
} from './members.ts'
import type { Members } from './members.ts'
import { rawLife, rawReportId } from './raw-list.ts'

const known = new Set(
  `id type name start end instance_id instance_name columns filters send_email requested file_name file_size rows created
  failed timed_out cancelled alerted status processing_minutes expires`.split(/\s+/),
)

const isAbsent = (value: unknown) => value === undefined || value === null || value === false || value === ''

function dayOf(value: unknown, where: string): Day | null {
  if (isAbsent(value)) return null
  const day = dayFromWire(value)
  if (day === undefined) throw malformed(`${where} is no day`)
  return day
}

/** A yes or no, in the ways that services write them; null where it is not said. */
function flagOf(value: unknown, where: string): boolean | null {
  if (value === undefined || value === null) return null
  if (value === true || value === 1 || value === '1') return true
  if (value === false || value === 0 || value === '0') return false
  throw malformed(`${where} is no yes or no`)
}

function columnsOf(value: unknown): RawReport['columns'] {
  const found = optionalMembers(value, 'columns')
  const { standard, additional } = found
  return {
    standard: isAbsent(standard)
      ? []
      : list(standard, 'columns.standard').map((each) => text(each, 'a column')),
    additional: isAbsent(additional)
      ? null
      : list(additional, 'columns.additional').map((each) => whole(each, 'an additional column')),
  }
}

function filterOf(value: unknown): RawFilter {
  const found = members(value, 'a filter')
  const operator = optionalText(found['operator'], 'the operator of a filter')
  const compared = optionalText(found['value'], 'the value of a filter')
  return {
    column: text(found['column'], 'the column of a filter'),
    ...(operator !== null && { operator }),
    ...(compared !== null && { value: compared }),
  }
}

/** raw/report: the full record (specification: raw report). */
export function decodeRawReport(found: Members): RawReport {
  return {
    id: rawReportId(found['id']),
    ...rawLife(found),
    start: dayOf(found['start'], 'start'),
    end: dayOf(found['end'], 'end'),
    instance_id: instanceId(found['instance_id']) ?? null,
    instance_name: optionalText(found['instance_name'], 'instance_name') ?? '',
    columns: columnsOf(found['columns']),
    filters: isAbsent(found['filters']) ? null : list(found['filters'], 'filters').map(filterOf),
    send_email: flagOf(found['send_email'], 'send_email'),
    file_name: optionalText(found['file_name'], 'file_name'),
    file_size: count(found['file_size'], 'file_size'),
    rows: count(found['rows'], 'rows'),
    alerted: timestamp(found['alerted'], 'alerted'),
    processing_minutes: count(found['processing_minutes'], 'processing_minutes'),
    unknown: decodeMembers(found, known),
  }
}
