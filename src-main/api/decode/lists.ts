import type {
  CampaignsAnswer,
  Instance,
  InstancesAnswer,
  SourcesAnswer,
  ProcessingLimits,
  RawListRow,
  RawTableAnswer,
  RawReport,
  RawAddressAnswer,
  RawDoneAnswer,
  RawRequestedAnswer,
} from '#shared/api/answers.ts'
import { noLimits } from '#shared/api/answers.ts'
import type { RawFilter } from '#shared/api/parameters.ts'
import { dayFromWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { instanceId } from '#shared/values/ids.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import { malformed } from '../network-failure.ts'
import {
  decodeText,
  decodePagedEcho,
  decodeMembers,
  list,
  members,
  numberOf,
  text,
  count,
  optionalMembers,
  optionalText,
  plainId,
  timestamp,
  whole,
} from './json.ts'
import type { Members } from './json.ts'

const knownOfInstance = new Set(['id', 'name', 'status'])

/** One instance. An id that is no whole number marks the entry for all of them (specification: instance). */
function instanceOf(value: unknown): Instance {
  const found = members(value, 'an instance')
  const id = instanceId(typeof found['id'] === 'string' ? decodeText(found['id']) : found['id'])
  if (id === undefined) throw malformed('an instance has no id')
  return {
    id,
    name: text(found['name'], 'the name of an instance'),
    status: numberOf(found['status']) ?? null,
    all: !/^-?\d+$/.test(id),
    unknown: decodeMembers(found, knownOfInstance),
  }
}

/** An id that comes as a number and again as text is the same instance (field notes: values). */
function eachOnce(instances: readonly Instance[]): Instance[] {
  return [...new Map(instances.map((instance) => [instance.id, instance])).values()]
}

export function decodeInstances(answer: Members): InstancesAnswer {
  return {
    instances: eachOnce(list(answer['instances'], 'instances').map(instanceOf)),
    query: decodePagedEcho(answer['query']),
  }
}

export function decodeSources(answer: Members): SourcesAnswer {
  return {
    sources: list(answer['sources'], 'sources').map((source) => text(source, 'a source')),
    query: decodePagedEcho(answer['query']),
  }
}

export function decodeCampaigns(answer: Members): CampaignsAnswer {
  return {
    campaigns: list(answer['campaigns'], 'campaigns').map((campaign) => text(campaign, 'a campaign')),
    query: decodePagedEcho(answer['query']),
  }
}

/** A raw report's id: opaque text, never decoded. */
const rawReportId = (value: unknown): RawReportId => plainId(value, 'the id of a raw report') as RawReportId

/** Members of one kind, each read by its name. */
function readEach<N extends string, T>(
  found: Members,
  names: readonly N[],
  read: (value: unknown, where: string) => T,
): Record<N, T> {
  return Object.fromEntries(names.map((name) => [name, read(found[name], name)])) as Record<N, T>
}

const textOrEmpty = (value: unknown, where: string) => optionalText(value, where) ?? ''

const moments = ['requested', 'created', 'failed', 'timed_out', 'cancelled', 'expires'] as const
const lifeTexts = ['name', 'type', 'status'] as const

/** What a list row and the full record share. */
const rawLife = (found: Members): Omit<RawListRow, 'id' | 'instance' | 'unknown'> => ({
  ...readEach(found, moments, timestamp),
  ...readEach(found, lifeTexts, textOrEmpty),
})

const listed: ReadonlySet<string> = new Set(['id', 'instance', ...moments, ...lifeTexts])

function rowOf(value: unknown): RawListRow {
  const found = members(value, 'a raw report')
  return {
    id: rawReportId(found['id']),
    ...rawLife(found),
    instance: textOrEmpty(found['instance'], 'instance'),
    unknown: decodeMembers(found, listed),
  }
}

const limitNames = Object.keys(noLimits) as (keyof ProcessingLimits)[]

/** raw/table: the list of raw reports, and what the account may still process. */
export function decodeRawTable(answer: Members): RawTableAnswer {
  const processing = optionalMembers(answer['processing'], 'processing')
  return {
    limits: readEach(optionalMembers(processing['limits'], 'processing.limits'), limitNames, count),
    usage: decodeMembers(processing, new Set(['limits'])),
    rows: list(members(answer['table'], 'table')['rows'], 'table.rows').map(rowOf),
    query: decodePagedEcho(answer['query']),
  }
}

const known = new Set(
  `id start end instance_id instance_name columns filters send_email file_name file_size rows alerted processing_minutes`
    .split(' ')
    .concat(moments, lifeTexts),
)

const isAbsent = (value: unknown) => value === undefined || value === null || value === false || value === ''

function dayOf(value: unknown, where: string): Day | null {
  if (isAbsent(value)) return null
  const day = dayFromWire(value)
  if (day === undefined) throw malformed(`${where} is not a day`)
  return day
}

/** A yes or no, in the ways that services write them; null where it is not said. */
function flagOf(value: unknown, where: string): boolean | null {
  if (value === undefined || value === null) return null
  if (value === true || value === 1 || value === '1') return true
  if (value === false || value === 0 || value === '0') return false
  throw malformed(`${where} is neither true nor false`)
}

function columnsOf(value: unknown): RawReport['columns'] {
  const found = optionalMembers(value, 'columns')
  const { standard, additional } = found
  return {
    standard: isAbsent(standard)
      ? []
      : list(standard, 'columns.standard').map((item) => text(item, 'a column')),
    additional: isAbsent(additional)
      ? null
      : list(additional, 'columns.additional').map((item) => whole(item, 'an additional column')),
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
    instance_name: textOrEmpty(found['instance_name'], 'instance_name'),
    columns: columnsOf(found['columns']),
    filters: isAbsent(found['filters']) ? null : list(found['filters'], 'filters').map(filterOf),
    send_email: flagOf(found['send_email'], 'send_email'),
    file_name: optionalText(found['file_name'], 'file_name'),
    ...readEach(found, ['file_size', 'rows', 'processing_minutes'], count),
    alerted: timestamp(found['alerted'], 'alerted'),
    unknown: decodeMembers(found, known),
  }
}

/** raw/cancel and raw/remove: whether it was done, the service's words, and what passed and failed. */
export function decodeRawDone(answer: Members): RawDoneAnswer {
  const { success } = answer
  if (typeof success !== 'boolean') throw malformed('success is neither true nor false')
  const feedback = optionalMembers(answer['feedback'], 'feedback')
  return {
    success,
    message: textOrEmpty(answer['message'], 'message'),
    feedback: {
      pass: decodeMembers(optionalMembers(feedback['pass'], 'feedback.pass')),
      fail: decodeMembers(optionalMembers(feedback['fail'], 'feedback.fail')),
    },
  }
}

/** raw/request: the same, and the new report's id where there is one. */
export function decodeRawRequested(answer: Members): RawRequestedAnswer {
  const { id } = answer
  return { ...decodeRawDone(answer), id: isAbsent(id) ? null : (plainId(id, 'id') as RawReportId) }
}

const isWebAddress = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)

/**
 * raw/download: an encoded address on another host. One that is an address as it stands is taken as it is,
 * because decoding it would break the escapes that belong to it.
 */
export function decodeRawAddress(answer: Members): RawAddressAnswer {
  const { url } = answer
  const address = typeof url === 'string' && !isWebAddress(url) ? decodeText(url) : url
  if (typeof address !== 'string' || !isWebAddress(address)) throw malformed('url is no web address')
  return { url: address }
}
