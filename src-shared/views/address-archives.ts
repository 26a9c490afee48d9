import { limits } from '../api/parameters.ts'
import { parseNetwork } from '../archives/network.ts'
import { groupings, isDecimal, maxSortKeys } from '../archives/rows.ts'
import type { CellTest, GroupKey, GroupSort, RowsCondition, RowsSortKey } from '../archives/rows.ts'
import type { RowsFileId } from '../archives/rows-file.ts'
import { maxTyped } from '../archives/typed-list.ts'
import type { RawRequestId, RawTemplateId } from '../raw/requests.ts'
import { rawListColumns } from '../raw/list.ts'
import type { RawListSort } from '../raw/list.ts'
import { instantOf } from '../values/ids.ts'
import type { RawReportId, Instant } from '../values/ids.ts'
import type { AddressReader, RawAddress, RawForm, RowsAddress } from './view-address.ts'

/** Limits of the bridge, in characters. */
const LONGEST_SEARCH = 1000
const LONGEST_ID = 1000
/** The address of a view may contain a search, filters and names. */
const LONGEST_VIEW = 10_000
const LARGEST_PAGE = 1e9

/** Parses a sort key such as `desc:requested`. */
function readSort(text: string): RawListSort | undefined {
  const [, order, name] = /^(asc|desc):(.*)$/.exec(text) ?? []
  const direction = directionOf(order)
  const column = rawListColumns.find((rawListColumn) => rawListColumn === name)
  return column && direction && { column, direction }
}

/** Parses the form's prefill: `new`, `report:<id>`, `template:<id>`, `request:<id>` or `view:<count>:<address>`. */
function readForm(text: string): RawForm | undefined {
  if (text === 'new') return { kind: 'nothing' }
  const [, header = '', view] = /^view:([^:]*):(#\/(?:overview|reports).*)$/s.exec(text) ?? []
  if (view !== undefined && view.length <= LONGEST_VIEW) return { kind: 'view', view, header: header || null }
  const [, from, id = ''] = /^(report|template|request):(.+)$/s.exec(text) ?? []
  if (id.length > LONGEST_ID) return undefined
  if (from === 'report') return { kind: from, report: id as RawReportId }
  if (from === 'template') return { kind: from, template: id as RawTemplateId }
  return from === 'request' ? { kind: from, request: id as RawRequestId } : undefined
}

function writeForm(form: RawForm): string {
  switch (form.kind) {
    case 'nothing':
      return 'new'
    case 'report':
      return `report:${form.report}`
    case 'template':
      return `template:${form.template}`
    case 'request':
      return `request:${form.request}`
    case 'view':
      return `view:${form.header ?? ''}:${form.view}`
  }
}

/** Parses the parameters of `#/raw`. Invalid ones get their default. */
export function readRawAddress(reader: AddressReader): RawAddress {
  const { rowsPerPage, rowsPerPageByDefault } = limits
  return {
    kind: 'raw',
    search: reader.text('search', LONGEST_SEARCH) ?? '',
    startsWith: reader.flag('startswith'),
    sort: reader.all('sort', readSort, limits.sortKeys, ({ column }) => column),
    page: reader.whole('page', 1, LARGEST_PAGE) ?? 1,
    limit: reader.whole('limit', rowsPerPageByDefault, rowsPerPage) ?? rowsPerPageByDefault,
    report: reader.text('report', LONGEST_ID) as RawReportId | null,
    form: reader.one('form', readForm) ?? null,
  }
}

/** Returns the parameters of a raw reports address, without defaults. */
export function writeRawParameters(address: RawAddress): URLSearchParams {
  const written = new URLSearchParams()
  if (address.search !== '') written.set('search', address.search)
  if (address.startsWith) written.set('startswith', '1')
  for (const { column, direction } of address.sort) written.append('sort', `${direction}:${column}`)
  if (address.page !== 1) written.set('page', String(address.page))
  if (address.limit !== limits.rowsPerPageByDefault) written.set('limit', String(address.limit))
  if (address.report !== null) written.set('report', address.report)
  if (address.form) written.set('form', writeForm(address.form))
  return written
}

/** Limits of the bridge: numbers of items, and lengths in characters. */
const MAX_FILES = 1000
const MAX_CONDITIONS = 100
const MAX_GROUPS = 3
const LONGEST_TEXT = 20_000
const LONGEST_FILE = 1100

const usualGroupSort: GroupSort = { by: { kind: 'rows' }, direction: 'desc' }

function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text)
    return plain.length <= LONGEST_TEXT ? plain : undefined
  } catch {
    return undefined
  }
}

const directionOf = (text: string | undefined) => (text === 'asc' || text === 'desc' ? text : undefined)

/** A lone surrogate cannot be percent-encoded. */
const encodeParameter = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'))

function readInstant(text: string): Instant | null | undefined {
  if (text === '') return null
  return /^-?\d{1,15}$/.test(text) ? instantOf(Number(text)) : undefined
}

const readNetworks = (networks: readonly string[]): CellTest | undefined =>
  networks.length <= maxTyped &&
  networks.every((network) => network === '' || parseNetwork(network) !== undefined)
    ? { kind: 'in-network', networks }
    : undefined

function readTest(is: string, text: string): CellTest | undefined {
  switch (is) {
    case 'is':
    case 'contains':
    case 'begins-with':
      return text.length <= LONGEST_TEXT ? { kind: is, value: text } : undefined
    case 'more-than':
    case 'less-than':
      return isDecimal(text) ? { kind: is, value: text } : undefined
    case 'one-of':
    case 'click-id': {
      const values = text.split(',').map(decoded)
      const whole = values.filter((value) => value !== undefined)
      return whole.length === values.length && values.length <= maxTyped
        ? { kind: is, values: whole }
        : undefined
    }
    case 'empty':
    case 'once':
      return { kind: is }
    case 'in-network':
      return readNetworks(text.split(','))
    case 'between': {
      const [from, to] = text.split('..').map(readInstant)
      return from === undefined || to === undefined ? undefined : { kind: is, from, to }
    }
    default:
      return undefined
  }
}

/** Parses a condition `keep:is:SOURCE:a value`. The column is encoded, so that it contains no colon. */
function readCondition(text: string): RowsCondition | undefined {
  const [, how, is = '', name = '', value = ''] = /^(keep|out):([a-z-]+):([^:]*):(.*)$/s.exec(text) ?? []
  const column = decoded(name)
  const test = readTest(is, value)
  if (how === undefined || column === undefined || !test) return undefined
  // Every test except `once` needs a column.
  return (column === '') === (test.kind === 'once') ? { column, out: how === 'out', test } : undefined
}

function writeTest(test: CellTest): string {
  switch (test.kind) {
    case 'is':
    case 'contains':
    case 'begins-with':
    case 'more-than':
    case 'less-than':
      return test.value
    case 'one-of':
    case 'click-id':
      return test.values.map(encodeParameter).join(',')
    case 'empty':
    case 'once':
      return ''
    case 'in-network':
      return test.networks.join(',')
    case 'between':
      return `${test.from ?? ''}..${test.to ?? ''}`
  }
}

const writeCondition = ({ column, out, test }: RowsCondition): string =>
  `${out ? 'out' : 'keep'}:${test.kind}:${encodeParameter(column)}:${writeTest(test)}`

/** Parses a sort key such as `desc:SOURCE`. */
function readRowsSort(text: string): RowsSortKey | undefined {
  const [, order, column = ''] = /^(asc|desc):(.+)$/s.exec(text) ?? []
  const direction = directionOf(order)
  return direction && column.length <= LONGEST_TEXT ? { column, direction } : undefined
}

/** Parses a group key such as `value:SOURCE`. */
function readGroup(text: string): GroupKey | undefined {
  const [, by, column = ''] = /^([a-z-]+):(.+)$/s.exec(text) ?? []
  const grouping = groupings.find((one) => one === by)
  return grouping && column.length <= LONGEST_TEXT ? { by: grouping, column } : undefined
}

/** Parses a sort of groups: `desc:rows`, `asc:key:1` or `desc:result:bad`. */
function readGroupSort(text: string): GroupSort | undefined {
  const [, order, what = '', more = ''] = /^(asc|desc):([a-z-]+)(?::(.*))?$/s.exec(text) ?? []
  const direction = directionOf(order)
  if (!direction) return undefined
  if (what === 'rows' || what === 'bad' || what === 'bad-share') return { by: { kind: what }, direction }
  if (what === 'result' && more.length <= LONGEST_TEXT) return { by: { kind: what, result: more }, direction }
  const place = ([0, 1, 2] as const).find((item) => String(item) === more)
  return what === 'key' && place !== undefined ? { by: { kind: what, place }, direction } : undefined
}

function writeGroupSort({ by, direction }: GroupSort): string {
  const more = by.kind === 'key' ? `:${by.place}` : by.kind === 'result' ? `:${by.result}` : ''
  return `${direction}:${by.kind}${more}`
}

const isFile = (text: string): text is RowsFileId =>
  text.length <= LONGEST_FILE && /^(report|file)-./.test(text)

function readFile(text: string): RowsFileId | undefined {
  const file = decoded(text)
  return file !== undefined && isFile(file) ? file : undefined
}

/** Parses `#/rows/<archive>,<archive>` and its parameters. Invalid parts are left out. */
export function readRowsAddress(reader: AddressReader): RowsAddress {
  return {
    kind: 'rows',
    files: reader.partList(1, readFile, MAX_FILES),
    conditions: reader.all('where', readCondition, MAX_CONDITIONS),
    sort: reader.all('sort', readRowsSort, maxSortKeys, ({ column }) => column),
    groups: reader.all('group', readGroup, MAX_GROUPS),
    groupSort: reader.one('order', readGroupSort) ?? usualGroupSort,
    groupSearch: reader.text('found', LONGEST_TEXT) ?? '',
    bars: reader.choice('bars', ['day', 'hour']) ?? 'day',
    search: reader.text('search', LONGEST_SEARCH) ?? '',
    recount: reader.flag('recount'),
    clusters: reader.flag('clusters'),
  }
}

/** Returns the address of raw rows, without defaults. */
export function writeRowsAddress(address: RowsAddress): string {
  const written = new URLSearchParams()
  for (const condition of address.conditions) written.append('where', writeCondition(condition))
  for (const { column, direction } of address.sort) written.append('sort', `${direction}:${column}`)
  for (const { column, by } of address.groups) written.append('group', `${by}:${column}`)
  const order = writeGroupSort(address.groupSort)
  if (order !== writeGroupSort(usualGroupSort)) written.set('order', order)
  if (address.groupSearch !== '') written.set('found', address.groupSearch)
  if (address.bars !== 'day') written.set('bars', address.bars)
  if (address.search !== '') written.set('search', address.search)
  if (address.recount) written.set('recount', '1')
  if (address.clusters) written.set('clusters', '1')
  const path = address.files.length > 0 ? `/${address.files.map(encodeParameter).join(',')}` : ''
  const text = written.toString()
  return `#/rows${path}${text === '' ? '' : `?${text}`}`
}
