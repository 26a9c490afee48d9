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
  idOf,
  isObject,
  list,
  members,
  numberOf,
  textOf,
  count,
  countOf,
  optionalList,
  optionalMembers,
  optionalText,
  plainId,
  readEntries,
  timestamp,
  wholeOf,
} from './json.ts'
import type { Members, Note } from './json.ts'

const knownOfInstance = new Set(['id', 'name', 'status'])

/**
 * Decodes an instance. A non-integer id marks the entry for all instances (specification: instance). An instance without a name
 * is named by its id; undefined without an id.
 */
function instanceOf(value: unknown, note: Note): Instance | undefined {
  if (!isObject(value)) return undefined
  const id = instanceId(typeof value['id'] === 'string' ? decodeText(value['id']) : value['id'])
  if (id === undefined) return undefined
  return {
    id,
    name: optionalText(value['name'], note) ?? id,
    status: numberOf(value['status']) ?? null,
    all: !/^-?\d+$/.test(id),
    unknown: decodeMembers(value, knownOfInstance),
  }
}

/** Removes duplicates: an id as a number and the same id as text are one instance (field notes: values). */
function eachOnce(instances: readonly Instance[]): Instance[] {
  return [...new Map(instances.map((instance) => [instance.id, instance])).values()]
}

export function decodeInstances(answer: Members, note: Note): InstancesAnswer {
  const items = list(answer['instances'], 'instances', note)
  const query = decodePagedEcho(answer['query'], note)
  const read = (item: unknown) => instanceOf(item, note)
  const { results } = query
  const { entries, left } = readEntries(items, { read, results, fault: 'an instance has no id' }, note)
  return { instances: eachOnce(entries), query, ...left }
}

export function decodeSources(answer: Members, note: Note): SourcesAnswer {
  const items = list(answer['sources'], 'sources', note)
  const query = decodePagedEcho(answer['query'], note)
  const { results } = query
  const { entries, left } = readEntries(items, { read: textOf, results, fault: 'a source is not text' }, note)
  return { sources: entries, query, ...left }
}

export function decodeCampaigns(answer: Members, note: Note): CampaignsAnswer {
  const items = list(answer['campaigns'], 'campaigns', note)
  const query = decodePagedEcho(answer['query'], note)
  const { results } = query
  const fault = 'a campaign is not text'
  const { entries, left } = readEntries(items, { read: textOf, results, fault }, note)
  return { campaigns: entries, query, ...left }
}

/** Reads a raw report's id: opaque text, never decoded. */
const rawReportId = (value: unknown): RawReportId => plainId(value, 'the id of a raw report') as RawReportId

/** Reads several members with the same function. */
function readEach<N extends string, T>(
  found: Members,
  names: readonly N[],
  read: (value: unknown, note: Note) => T,
  note: Note,
): Record<N, T> {
  return Object.fromEntries(names.map((name) => [name, read(found[name], note)])) as Record<N, T>
}

const textOrEmpty = (value: unknown, note: Note) => optionalText(value, note) ?? ''

const moments = ['requested', 'created', 'failed', 'timed_out', 'cancelled', 'expires'] as const
const lifeTexts = ['name', 'type', 'status'] as const

/** Members common to list rows and full records. */
const rawLife = (found: Members, note: Note): Omit<RawListRow, 'id' | 'instance' | 'unknown'> => ({
  ...readEach(found, moments, timestamp, note),
  ...readEach(found, lifeTexts, textOrEmpty, note),
})

const rowMembers: ReadonlySet<string> = new Set(['id', 'instance', ...moments, ...lifeTexts])

/** Decodes a list row; undefined without an id, because the report could not be requested. */
function rowOf(value: unknown, note: Note): RawListRow | undefined {
  const id = isObject(value) ? idOf(value['id']) : undefined
  if (!isObject(value) || id === undefined) return undefined
  return {
    id: id as RawReportId,
    ...rawLife(value, note),
    instance: textOrEmpty(value['instance'], note),
    unknown: decodeMembers(value, rowMembers),
  }
}

const limitNames = Object.keys(noLimits) as (keyof ProcessingLimits)[]

/** Decodes raw/table: the list of raw reports and the account's processing limits. */
export function decodeRawTable(answer: Members, note: Note): RawTableAnswer {
  const processing = optionalMembers(answer['processing'], note)
  const table = members(answer['table'], 'table', note)
  const query = decodePagedEcho(answer['query'], note)
  // Services send an empty array in place of a table without rows.
  const isEmpty = query.results === 0 && Object.keys(table).length === 0
  const items = isEmpty ? [] : list(table['rows'], 'table.rows', note)
  const read = (item: unknown) => rowOf(item, note)
  const { results } = query
  const { entries, left } = readEntries(items, { read, results, fault: 'a raw report has no id' }, note)
  return {
    limits: readEach(optionalMembers(processing['limits'], note), limitNames, count, note),
    usage: decodeMembers(processing, new Set(['limits'])),
    rows: entries,
    query,
    ...left,
  }
}

const knownMembers = new Set(
  `id start end instance_id instance_name columns filters send_email file_name file_size rows alerted processing_minutes`
    .split(' ')
    .concat(moments, lifeTexts),
)

const isAbsent = (value: unknown) => value === undefined || value === null || value === false || value === ''

function decodeDay(value: unknown, note: Note): Day | null {
  if (isAbsent(value)) return null
  const day = dayFromWire(value)
  if (day === undefined) note('odd-member')
  return day ?? null
}

/** Reads a boolean in all observed spellings; null if it is missing or invalid. */
function flagOf(value: unknown, note: Note): boolean | null {
  if (value === undefined || value === null) return null
  if (value === true || value === 1 || value === '1') return true
  if (value === false || value === 0 || value === '0') return false
  note('odd-member')
  return null
}

/** Formats a value that is not text as JSON, so that it remains visible. */
const asWritten = (value: unknown): string => JSON.stringify(decodeMembers({ value })['value']) ?? ''

function columnsOf(value: unknown, note: Note): RawReport['columns'] {
  const { standard, additional } = optionalMembers(value, note)
  const numbers = optionalList(additional, note).map(wholeOf)
  if (numbers.includes(undefined)) note('odd-member')
  return {
    standard: optionalList(standard, note).map((item) => textOf(item) ?? asWritten(item)),
    additional: isAbsent(additional) ? null : numbers.filter((number) => number !== undefined),
  }
}

/** Decodes a filter. An invalid filter is returned as JSON in place of its column, so that it remains visible. */
function filterOf(value: unknown, note: Note): RawFilter {
  const column = isObject(value) ? textOf(value['column']) : undefined
  if (!isObject(value) || column === undefined) {
    note('odd-entry')
    return { column: asWritten(value) }
  }
  const operator = optionalText(value['operator'], note)
  const compared = optionalText(value['value'], note)
  return {
    column,
    ...(operator !== null && { operator }),
    ...(compared !== null && { value: compared }),
  }
}

function filtersOf(value: unknown, note: Note): RawReport['filters'] {
  if (isAbsent(value)) return null
  const isList = typeof value === 'object'
  return (isList ? optionalList(value, note) : [value]).map((item) => filterOf(item, note))
}

/** Reads the size of an archive, for progress and free space only. The interface names no unit. An invalid size becomes null. */
function sizeOf(value: unknown, note: Note): number | null {
  if (isAbsent(value)) return null
  const size = countOf(value)
  if (size !== undefined && Number.isSafeInteger(size) && size > 0) return size
  note('odd-member')
  return null
}

/** Decodes raw/report: the full record (specification: raw report). */
export function decodeRawReport(found: Members, note: Note): RawReport {
  return {
    id: rawReportId(found['id']),
    ...rawLife(found, note),
    start: decodeDay(found['start'], note),
    end: decodeDay(found['end'], note),
    instance_id: instanceId(found['instance_id']) ?? null,
    instance_name: textOrEmpty(found['instance_name'], note),
    columns: columnsOf(found['columns'], note),
    filters: filtersOf(found['filters'], note),
    send_email: flagOf(found['send_email'], note),
    file_name: optionalText(found['file_name'], note),
    file_size: sizeOf(found['file_size'], note),
    ...readEach(found, ['rows', 'processing_minutes'], count, note),
    alerted: timestamp(found['alerted'], note),
    unknown: decodeMembers(found, knownMembers),
  }
}

/** Decodes the success flag, the message and the feedback. */
function doneOf(answer: Members, note: Note): RawDoneAnswer {
  const { success } = answer
  if (typeof success !== 'boolean') throw malformed('success is neither true nor false')
  const feedback = optionalMembers(answer['feedback'], note)
  return {
    success,
    message: textOrEmpty(answer['message'], note),
    feedback: {
      pass: decodeMembers(optionalMembers(feedback['pass'], note)),
      fail: decodeMembers(optionalMembers(feedback['fail'], note)),
    },
  }
}

const namesReports = (value: unknown) => isAbsent(value) || isObject(value) || isEmptyList(value)
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

/**
 * Decodes raw/cancel and raw/remove, whose feedback is keyed by report id.
 * @throws ServiceFailure if the exceptions to `success` are unreadable: then the result is unknown
 */
export function decodeRawDone(answer: Members, note: Note): RawDoneAnswer {
  const done = doneOf(answer, note)
  const { feedback } = answer
  const exceptions = isObject(feedback) ? feedback[done.success ? 'fail' : 'pass'] : feedback
  if (!namesReports(exceptions)) throw malformed('its feedback names no reports')
  return done
}

/** Decodes raw/request, with the new report's id if present. Feedback cannot change the result, so it is not checked. */
export function decodeRawRequested(answer: Members, note: Note): RawRequestedAnswer {
  const { id } = answer
  return { ...doneOf(answer, note), id: isAbsent(id) ? null : (plainId(id, 'id') as RawReportId) }
}

const isWebAddress = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)

/**
 * Decodes raw/download: a URL-encoded address on another host. An address that is already valid is not decoded, because
 * decoding would break its own escapes.
 */
export function decodeRawAddress(answer: Members): RawAddressAnswer {
  const { url } = answer
  const address = typeof url === 'string' && !isWebAddress(url) ? decodeText(url) : url
  if (typeof address !== 'string' || !isWebAddress(address)) throw malformed('url is no web address')
  return { url: address }
}
