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
 * One instance. An id that is no whole number marks the entry for all of them (specification: instance). One without a name is
 * called by its id; one without an id is none.
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

/** An id that comes as a number and again as text is the same instance (field notes: values). */
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

/** A raw report's id: opaque text, never decoded. */
const rawReportId = (value: unknown): RawReportId => plainId(value, 'the id of a raw report') as RawReportId

/** Members of one kind, each read by its name. */
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

/** What a list row and the full record share. */
const rawLife = (found: Members, note: Note): Omit<RawListRow, 'id' | 'instance' | 'unknown'> => ({
  ...readEach(found, moments, timestamp, note),
  ...readEach(found, lifeTexts, textOrEmpty, note),
})

const listed: ReadonlySet<string> = new Set(['id', 'instance', ...moments, ...lifeTexts])

/** A row of the list; undefined for one without an id, which cannot be asked for. */
function rowOf(value: unknown, note: Note): RawListRow | undefined {
  const id = isObject(value) ? idOf(value['id']) : undefined
  if (!isObject(value) || id === undefined) return undefined
  return {
    id: id as RawReportId,
    ...rawLife(value, note),
    instance: textOrEmpty(value['instance'], note),
    unknown: decodeMembers(value, listed),
  }
}

const limitNames = Object.keys(noLimits) as (keyof ProcessingLimits)[]

/** raw/table: the list of raw reports, and what the account may still process. */
export function decodeRawTable(answer: Members, note: Note): RawTableAnswer {
  const processing = optionalMembers(answer['processing'], note)
  const table = members(answer['table'], 'table', note)
  const query = decodePagedEcho(answer['query'], note)
  // An empty list in place of the table is one without rows, where there are none.
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

const known = new Set(
  `id start end instance_id instance_name columns filters send_email file_name file_size rows alerted processing_minutes`
    .split(' ')
    .concat(moments, lifeTexts),
)

const isAbsent = (value: unknown) => value === undefined || value === null || value === false || value === ''

function dayOf(value: unknown, note: Note): Day | null {
  if (isAbsent(value)) return null
  const day = dayFromWire(value)
  if (day === undefined) note('odd-member')
  return day ?? null
}

/** A yes or no, in the ways that services write them; null where it is not said, or is neither. */
function flagOf(value: unknown, note: Note): boolean | null {
  if (value === undefined || value === null) return null
  if (value === true || value === 1 || value === '1') return true
  if (value === false || value === 0 || value === '0') return false
  note('odd-member')
  return null
}

/** What is no text, as it is written: whoever reads it sees that something is there. */
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

/** A filter, of which nothing is left out in silence: what is no filter stands under its column as it is written. */
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

/** Filters; null where there are none. */
function filtersOf(value: unknown, note: Note): RawReport['filters'] {
  if (isAbsent(value)) return null
  const isList = typeof value === 'object'
  return (isList ? optionalList(value, note) : [value]).map((item) => filterOf(item, note))
}

/**
 * Size of an archive. The contract gives no unit, and nothing but progress and room depends on it: what cannot be a size is
 * unknown, and no reason to do without the record.
 */
function sizeOf(value: unknown, note: Note): number | null {
  if (isAbsent(value)) return null
  const size = countOf(value)
  if (size !== undefined && Number.isSafeInteger(size) && size > 0) return size
  note('odd-member')
  return null
}

/** raw/report: the full record (specification: raw report). */
export function decodeRawReport(found: Members, note: Note): RawReport {
  return {
    id: rawReportId(found['id']),
    ...rawLife(found, note),
    start: dayOf(found['start'], note),
    end: dayOf(found['end'], note),
    instance_id: instanceId(found['instance_id']) ?? null,
    instance_name: textOrEmpty(found['instance_name'], note),
    columns: columnsOf(found['columns'], note),
    filters: filtersOf(found['filters'], note),
    send_email: flagOf(found['send_email'], note),
    file_name: optionalText(found['file_name'], note),
    file_size: sizeOf(found['file_size'], note),
    ...readEach(found, ['rows', 'processing_minutes'], count, note),
    alerted: timestamp(found['alerted'], note),
    unknown: decodeMembers(found, known),
  }
}

/** Whether it was done, the service's words, and what passed and failed. */
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
 * raw/cancel and raw/remove: what they answer of several reports is told by the reports' ids.
 * @throws ServiceFailure where the exceptions from `success` cannot be read: then nobody knows what was done
 */
export function decodeRawDone(answer: Members, note: Note): RawDoneAnswer {
  const done = doneOf(answer, note)
  const { feedback } = answer
  const exceptions = isObject(feedback) ? feedback[done.success ? 'fail' : 'pass'] : feedback
  if (!namesReports(exceptions)) throw malformed('its feedback names no reports')
  return done
}

/** raw/request: the same, and the new report's id where there is one. What passed and failed does not change what was done. */
export function decodeRawRequested(answer: Members, note: Note): RawRequestedAnswer {
  const { id } = answer
  return { ...doneOf(answer, note), id: isAbsent(id) ? null : (plainId(id, 'id') as RawReportId) }
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
