import type { Download, DownloadId, DownloadState } from '#shared/downloads/download.ts'
import type {
  RawRequest,
  RawRequestId,
  ShownRequestState,
  RawSchedule,
  RawScheduleId,
  RawTemplate,
  RawTemplateId,
} from '#shared/raw/requests.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { lifeOf } from '#shared/raw/list.ts'
import type { ListedReport, RawListAnswer, RawReportAnswer } from '#shared/raw/list.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import type { AccountId, InstanceId, Instant, RawReportId } from '#shared/values/ids.ts'
import { emptyList } from './fake-raw.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** A moment so long ago, as the service writes it: with an offset of its own. */
export const since = (milliseconds: number, now = Date.now()): string =>
  new Date(Math.floor((now - milliseconds) / 1000) * 1000 + 2 * 60 * MINUTE)
    .toISOString()
    .replace('.000Z', '+02:00')

/** A report that is ready for three days, with whatever is different about it. */
export function row(id: string, change: Partial<RawListRow> = {}): RawListRow {
  return {
    id: id as RawReportId,
    name: `Report ${id}`,
    instance: 'Kestrel Main',
    type: 'Response',
    requested: since(3 * DAY),
    created: since(3 * DAY - 6 * MINUTE),
    failed: null,
    timed_out: null,
    cancelled: null,
    status: 'Ready',
    expires: since(-28 * DAY),
    unknown: {},
    ...change,
  }
}

export const listed = (
  id: string,
  change: Partial<RawListRow> = {},
  more: Partial<ListedReport> = {},
): ListedReport => {
  const one = row(id, change)
  return { row: one, life: lifeOf(one), saved: 'none', undoUntil: null, usual: null, ...more }
}

export const inProgress = (id: string, minutes: number, change: Partial<RawListRow> = {}): ListedReport =>
  listed(
    id,
    { status: 'In Progress', created: null, requested: since(minutes * MINUTE), ...change },
    { usual: { shortest: 3 * MINUTE, longest: 9 * MINUTE } },
  )

export function listOf(reports: readonly ListedReport[], change: Partial<RawListAnswer> = {}): RawListAnswer {
  return {
    ...emptyList,
    reports,
    results: reports.length,
    pages: 1,
    limits: { minutes_total: 360, minutes_available: 214, api_concurrent: 1, dashboard_concurrent: 2 },
    fetchedAt: (Date.now() - 20_000) as Instant,
    ...change,
  }
}

/** One report in each state that there is. */
export const everyState = (): readonly ListedReport[] => [
  inProgress('r-101', 4, { name: 'Weekly bad traffic, Kestrel Media' }),
  listed('r-102', { name: 'Direct, all columns', type: 'Direct' }, { saved: 'running' }),
  listed(
    'r-103',
    { name: 'Requests without answer', type: 'Request', instance: 'Kestrel Shop' },
    { saved: 'saved' },
  ),
  listed('r-104', { name: 'Last month by rule set', expires: since(-2 * DAY) }),
  listed('r-105', { name: 'Moved by hand' }, { saved: 'missing' }),
  listed('r-106', { name: 'Too many rows', status: 'Failed', created: null, failed: since(2 * DAY) }),
  listed('r-107', { name: 'Too slow', status: 'Timed Out', created: null, timed_out: since(5 * DAY) }),
  listed('r-108', { name: 'Thought better of', status: 'Cancelled', created: null, cancelled: since(DAY) }),
  listed('r-109', {
    name: 'تقرير الزيارات المشبوهة',
    instance: 'الرئيسي',
    status: 'Wird geprüft',
    created: null,
  }),
  listed('r-110', { name: 'Removing…' }, { undoUntil: (Date.now() + 8000) as Instant }),
]

export const draft = (change: Partial<RawDraft> = {}): RawDraft => {
  const today = dayAt(Date.now(), 'UTC')
  return {
    type: 'response',
    instance: '101' as InstanceId,
    start: addDays(today, -7),
    end: addDays(today, -1),
    name: '',
    standard: ['source', 'result', 'country'],
    additional: [2],
    filters: [{ column: 'result', operator: 'equals', value: 'bad' }],
    email: false,
    ...change,
  }
}

const uuid = (number: number) => `5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9${String(number).padStart(3, '0')}`

export const request = (
  number: number,
  state: ShownRequestState,
  change: Partial<RawDraft> = {},
): RawRequest => ({
  id: uuid(number) as RawRequestId,
  draft: draft(change),
  template: null,
  schedule: null,
  madeAt: Date.now() as Instant,
  state,
})

export const template = (number: number, change: Partial<RawTemplate> = {}): RawTemplate => {
  const { type, instance, name, standard, additional, filters, email } = draft({ name: 'Bad traffic' })
  return {
    id: uuid(number) as RawTemplateId,
    name: 'Weekly bad traffic, client X',
    draft: { type, instance, name, standard, additional, filters, email },
    period: 'last-week',
    save: true,
    ...change,
  }
}

export const schedule = (
  number: number,
  of: RawTemplate,
  change: Partial<RawSchedule> = {},
): RawSchedule => ({
  id: uuid(number) as RawScheduleId,
  template: of.id,
  when: { kind: 'week', weekday: 1, hour: 6 },
  paused: false,
  lastOccurrence: null,
  nextOccurrence: (Date.now() + 2 * DAY) as Instant,
  ...change,
})

export const download = (
  number: number,
  account: AccountId,
  state: DownloadState,
  change: Partial<Download> = {},
): Download => ({
  id: uuid(number) as DownloadId,
  account,
  report: `r-${number}` as RawReportId,
  name: `Report ${number}`,
  file: `Kestrel Media Report ${number}.zip`,
  host: 'files.kestrel.example',
  size: 40_000_000,
  expires: since(-20 * DAY),
  state,
  ...change,
})

/** The full record of a listed report. */
export function recordOf(
  one: ListedReport,
  change: Partial<RawReportAnswer['report']> = {},
): RawReportAnswer {
  const { instance, ...rest } = one.row
  const today = dayAt(Date.now(), 'UTC')
  return {
    report: {
      ...rest,
      start: addDays(today, -10),
      end: addDays(today, -4),
      instance_id: '101' as InstanceId,
      instance_name: instance,
      columns: { standard: ['source', 'result', 'country', 'os_name'], additional: [1, 3] },
      filters: [
        { column: 'result', operator: 'equals', value: 'bad' },
        { column: '3', operator: 'not_empty' },
      ],
      send_email: false,
      file_name: 'report-104.zip',
      file_size: 12_400_000,
      rows: 184_203,
      alerted: null,
      processing_minutes: 4,
      ...change,
    },
    listed: one,
    fetchedAt: Date.now() as Instant,
    failure: null,
  }
}

/** So much of a download has arrived. */
export const bytes = (done: number, total: number | null = 40_000_000) =>
  ({ done, total, unit: 'bytes' }) as const
