import { rawListColumns } from '../raw/listed.ts'
import type { RawListSort } from '../raw/listed.ts'
import { limits } from '../api/limits.ts'
import type { RawReportId } from '../values/ids.ts'
import type { RawRequestId, RawTemplateId } from '../raw/asking.ts'
import type { RawAddress, RawForm } from './view-address.ts'

/** The bridge takes no longer ones. */
const LONGEST_SEARCH = 1000
const LONGEST_ID = 1000
/** A view's address may hold a search, filters and names. */
const LONGEST_VIEW = 10_000
const LARGEST_PAGE = 1e9

const readText = (value: string | null, longest: number): string =>
  value !== null && value.length <= longest ? value : ''

function readWhole(value: string | null, min: number, max: number, otherwise: number): number {
  const whole = value !== null && /^\d{1,10}$/.test(value) ? Number(value) : 0
  return whole >= min && whole <= max ? whole : otherwise
}

/** Keys as `desc:requested`, one for each member `sort`; each column once. */
function readSort(values: readonly string[]): RawListSort[] {
  const keys = values.flatMap((value): RawListSort[] => {
    const [direction, name] = value.split(':')
    const column = rawListColumns.find((rawListColumn) => rawListColumn === name)
    return column && (direction === 'asc' || direction === 'desc') ? [{ column, direction }] : []
  })
  return keys
    .filter(({ column }, place) => keys.findIndex((key) => key.column === column) === place)
    .slice(0, limits.sortKeys)
}

/** What a form begins with: `new`, `report:<id>`, `template:<id>`, `request:<id>` or `view:<count>:<address>`. */
function readForm(value: string | null): RawForm | null {
  if (value === 'new') return { kind: 'nothing' }
  const [, header = '', view] = /^view:([^:]*):(#\/(?:overview|reports).*)$/s.exec(value ?? '') ?? []
  if (view !== undefined && view.length <= LONGEST_VIEW) return { kind: 'view', view, header: header || null }
  const [, from, id = ''] = /^(report|template|request):(.+)$/s.exec(value ?? '') ?? []
  if (id === '' || id.length > LONGEST_ID) return null
  if (from === 'report') return { kind: from, report: id as RawReportId }
  if (from === 'template') return { kind: from, template: id as RawTemplateId }
  return from === 'request' ? { kind: from, request: id as RawRequestId } : null
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

/** Reads the parameters of `#/raw`; what is not understood is left at its default. */
export function readRawAddress(parameters: URLSearchParams): RawAddress {
  const report = readText(parameters.get('report'), LONGEST_ID)
  return {
    kind: 'raw',
    search: readText(parameters.get('search'), LONGEST_SEARCH),
    startsWith: parameters.get('startswith') === '1',
    sort: readSort(parameters.getAll('sort')),
    page: readWhole(parameters.get('page'), 1, LARGEST_PAGE, 1),
    limit: readWhole(
      parameters.get('limit'),
      limits.rowsPerPageByDefault,
      limits.rowsPerPage,
      limits.rowsPerPageByDefault,
    ),
    report: report === '' ? null : (report as RawReportId),
    form: readForm(parameters.get('form')),
  }
}

/** The search part of the address of raw reports, defaults left out. */
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
