import type { ProcessingLimits, RawListRow, RawTableAnswer } from '../../../src-shared/service/answers.ts'
import type { RawReportId } from '../../../src-shared/values/ids.ts'
import { decodePagedEcho } from './echo.ts'
import {
  count,
  decodeMembers,
  list,
  members,
  optionalMembers,
  optionalText,
  plainId,
  timestamp,
} from './members.ts'
import type { Members } from './members.ts'

/** A raw report's id: opaque text, never decoded. */
export const rawReportId = (value: unknown): RawReportId =>
  plainId(value, 'the id of a raw report') as RawReportId

/** What a list row and the full record share. */
export function rawLife(found: Members): Omit<RawListRow, 'id' | 'instance' | 'unknown'> {
  return {
    name: optionalText(found['name'], 'name') ?? '',
    type: optionalText(found['type'], 'type') ?? '',
    requested: timestamp(found['requested'], 'requested'),
    created: timestamp(found['created'], 'created'),
    failed: timestamp(found['failed'], 'failed'),
    timed_out: timestamp(found['timed_out'], 'timed_out'),
    cancelled: timestamp(found['cancelled'], 'cancelled'),
    status: optionalText(found['status'], 'status') ?? '',
    expires: timestamp(found['expires'], 'expires'),
  }
}

const listed = new Set(
  'id name instance type requested created failed timed_out cancelled status expires'.split(' '),
)

function rowOf(value: unknown): RawListRow {
  const found = members(value, 'a raw report')
  return {
    id: rawReportId(found['id']),
    ...rawLife(found),
    instance: optionalText(found['instance'], 'instance') ?? '',
    unknown: decodeMembers(found, listed),
  }
}

function limitsOf(found: Members): ProcessingLimits {
  return {
    minutes_total: count(found['minutes_total'], 'minutes_total'),
    api_concurrent: count(found['api_concurrent'], 'api_concurrent'),
    dashboard_concurrent: count(found['dashboard_concurrent'], 'dashboard_concurrent'),
    minutes_available: count(found['minutes_available'], 'minutes_available'),
  }
}

/** raw/table: the list of raw reports, and what the account may still process. */
export function decodeRawTable(answer: Members): RawTableAnswer {
  const processing = optionalMembers(answer['processing'], 'processing')
  return {
    limits: limitsOf(optionalMembers(processing['limits'], 'processing.limits')),
    usage: decodeMembers(processing, new Set(['limits'])),
    rows: list(members(answer['table'], 'table')['rows'], 'table.rows').map(rowOf),
    query: decodePagedEcho(answer['query']),
  }
}
