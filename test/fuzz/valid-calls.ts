import type { ProxyOrigin } from '#shared/accounts/account.ts'
import type { CallArgument, CallName } from '#shared/bridge/calls.ts'
import type { CaseEntry, CaseId } from '#shared/cases/case.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { JobId } from '#shared/app/jobs.ts'
import type { RawRequestId, RawScheduleId, RawTemplateId } from '#shared/raw/requests.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { usualSettings } from '#shared/app/settings.ts'
import { usualRawSettings } from '#shared/raw/settings.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import type { ListOrigin } from '#shared/archives/block-list.ts'
import type { DroppedFileId, RowsFileId, TableShape } from '#shared/archives/rows-file.ts'
import { day } from '#shared/values/day.ts'
import type { AccountId, InstanceId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { SavedViewId } from '#shared/views/saved-views.ts'
import { weekdays } from '#shared/watch/alerts.ts'
import type { AlertEntry, AlertId, FindingId, MuteId } from '#shared/watch/alerts.ts'
import type { NoteEntry, NoteId } from '#shared/watch/notes.ts'
import { usualFileNames } from '#shared/watch/schedules.ts'
import type { ScheduleEntry, ScheduleId } from '#shared/watch/schedules.ts'

/** What is there to be asked about. */
export type Things = {
  readonly account: AccountId
  readonly address: string
  readonly token: string
  readonly view: SavedViewId
  readonly report: RawReportId
  readonly download: DownloadId
  readonly request: RawRequestId
  readonly template: RawTemplateId
  readonly schedule: RawScheduleId
  readonly job: JobId
  readonly case: CaseId
  readonly note: NoteId
  readonly alert: AlertId
  readonly file: RowsFileId
  readonly dropped: DroppedFileId
}

type ValidCalls = { readonly [N in CallName]: CallArgument<N> }

const range = { start: day('2026-11-13'), end: day('2026-11-15') }
const before = { start: day('2026-11-10'), end: day('2026-11-12') }
const instance = '4123' as InstanceId
const table: TableQuery = { ...plainTable, family: 'script', dimension: 'browsers', range }
const overview: OverviewQuery = {
  ...{ kind: 'overview', family: 'direct', range, chart: true },
  ...{ instance: null, source: null, campaign: null },
}
const note: NoteEntry = {
  ...{ range, text: 'New landing page' },
  subject: { kind: 'instance', id: instance, name: 'Site' },
  leavesOut: true,
}
const alert: AlertEntry = {
  ...{ view: '#/reports/script/browsers', family: 'script', row: null, measure: 'bad-rate' },
  ...{ condition: { kind: 'unusual' }, leastRequests: 100, leastChange: 20, weekdays, telling: 'at-once' },
}
const found = '44444444-4444-4444-8444-444444444444' as FindingId
const muted = '66666666-6666-4666-8666-666666666666' as MuteId
const paged = { page: 1, limit: 20 }
const proxy = 'http://127.0.0.1:9' as ProxyOrigin
const passphrase = 'a horse, a battery'
const draft: Omit<RawDraft, 'start' | 'end'> = {
  ...{
    type: 'response',
    instance,
    name: 'Report',
    standard: ['result', 'remote_address'],
    additional: [],
    email: false,
  },
  filters: [{ column: 'result', operator: 'equals', value: 'bad' }],
}

const scheduleId = '66666666-6666-4666-8666-666666666666' as ScheduleId
const scheduleEntry: Omit<ScheduleEntry, 'subject'> = {
  ...{ name: 'Weekly', fileNames: usualFileNames, format: 'csv', folder: null, patience: 24 },
  rule: { days: { kind: 'week', weekdays }, hour: 8, minute: 30, zone: 'Europe/Berlin' },
  ...{ settled: true, paused: false },
}

/** Each call as the app's own window makes it. */
export function validCalls(things: Things): ValidCalls {
  const { account, address, token, report, request, template, schedule, file, download } = things
  const anAccount = { account }
  const aView = { account, view: things.view }
  const aCase = { account, id: things.case }
  const aRun = { account, id: scheduleId, day: day('2026-11-20') }
  const scheduled: ScheduleEntry = { ...scheduleEntry, subject: { kind: 'views', views: [things.view] } }
  const aJob = { id: things.job }
  const asked = { account, query: table, force: false }
  const query = {
    account,
    files: [file],
    conditions: [{ column: 'IP', out: false, test: { kind: 'begins-with' as const, value: '19' } }],
    sort: [{ column: 'IP', direction: 'asc' as const }],
  }
  const groups = {
    by: [{ column: 'IP', by: 'network' as const }],
    sort: { by: { kind: 'rows' as const }, direction: 'desc' as const },
    search: '',
  }
  const entry: CaseEntry = {
    ...{ name: 'Case', about: 'source', subject: 'All', files: [file], notes: 'Seen' },
    scope: {
      ...{ family: 'script', source: null, campaign: null, range, zone: 'UTC' },
      instances: { kind: 'some', list: [{ id: instance, name: 'Main site' }] },
    },
  }
  const origin: ListOrigin = {
    ...{ address: '#/rows', archives: ['a.zip'], filters: [], period: null },
    ...{ column: 'IP', by: 'value', minBad: 1, minShare: 0, format: 'lines' },
    ...{ campaign: 'Autumn', onlyNew: true, expiry: 30 },
  }
  const chosen = {
    shape: '0'.repeat(32) as TableShape,
    choice: {
      ...{ encoding: 'utf-8', delimiter: ';', start: { line: 2, hasHeader: true } },
      columns: [{ name: 'when', form: 'day-first' as const, role: 'timestamp' }],
    },
  }
  return {
    ...{ 'desk/state': undefined, 'desk/about': undefined, 'desk/notices': undefined },
    ...{ 'desk/save-problem-report': undefined, 'desk/save-parts-list': undefined },
    ...{
      'desk/back-up': { figures: true },
      'desk/choose-backup': undefined,
    },
    ...{ 'desk/restore-backup': undefined, 'desk/drop-backup': undefined },
    'desk/remember-view': { view: '#/overview' },
    'desk/dismiss-notice': { id: 'paused' },
    'desk/copy': { text: 'Copied' },
    ...{ 'settings/read': undefined, 'settings/choose-folder': undefined, 'settings/brand': undefined },
    ...{ 'settings/choose-logo': undefined, 'settings/kept-size': undefined, 'settings/disk': undefined },
    'settings/write': {
      theme: 'dark',
      storageLimit: 250,
      savesLooks: false,
      neverBlocked: ['203.0.113.0/24'],
      morningAt: usualSettings.morningAt,
      quietHours: { from: usualSettings.morningAt, to: usualSettings.morningAt },
      raw: usualRawSettings,
    },
    'settings/write-brand': { colour: '#1a56b0', logo: null },
    'settings/beyond-limit': { storageLimit: 250 },
    'settings/remove-figures': anAccount,
    'layouts/read': undefined,
    'layouts/write': {
      report: 'script/browsers',
      layout: { order: ['Browser'], hidden: [], widths: { Browser: 90 } },
    },
    ...{ 'lock/state': undefined, 'lock/now': undefined },
    'lock/unlock': { passphrase },
    'lock/sign-in': { address, token },
    'lock/switch-on': { after: 5, passphrase },
    'lock/change': { after: 15 },
    'lock/switch-off': { passphrase },
    'accounts/connect': { name: 'Client', address, token, storage: 'keychain', bodyEncoding: 'json' },
    'accounts/explore-sample': undefined,
    'accounts/activate': anAccount,
    'accounts/renew-token': { account, token, storage: 'session' },
    'accounts/edit': {
      ...{ account, name: 'Client', address, bodyEncoding: 'json', dayZone: 'UTC' },
      ...{ windows: { tables: 31, overview: null, lookups: null }, newToken: { token, storage: 'session' } },
    },
    'accounts/check': anAccount,
    'accounts/cancel-check': undefined,
    'accounts/remove': { account, what: 'token' },
    'proxies/list': undefined,
    'proxies/sign-in': { proxy, name: 'me', password: 'secret', storage: 'session' },
    'proxies/try-again': undefined,
    'proxies/forget': { proxy },
    'reports/ask': asked,
    'reports/trend': { account, query: overview, force: false },
    'reports/rule-mix': { account, query: table, load: false },
    'reports/before': { ...asked, before, labels: ['text:Chrome'], isWhole: true },
    'reports/paired': { account, query: table, before },
    'reports/movers': { ...asked, before, header: 'Bad', max: 5 },
    'reports/explain': {
      ...{
        account,
        query: overview,
        before,
        header: 'Bad',
        base: 'Requests',
        by: 'rate',
        load: ['networks'],
      },
      row: { dimension: 'browsers', key: 'text Chrome' },
    },
    'reports/restatements': { account, query: table },
    'reports/cancel': { account, key: 'key' },
    'lookups/names': anAccount,
    'lookups/instances': { account, name: null, ...paged },
    'lookups/sources': { account, range, instance: null, source: 'a', ...paged },
    'lookups/campaigns': { account, range, instance: null, source: null, campaign: null, ...paged },
    'views/list': anAccount,
    'views/save': {
      account,
      name: 'View',
      address: '#/reports/script/browsers?period=yesterday',
      pinned: true,
    },
    'views/change': { ...aView, name: 'Other', pinned: false, start: true },
    ...{ 'views/duplicate': aView, 'views/remove': aView, 'views/refresh': aView, 'views/stop': aView },
    'views/restore': {
      ...{ account, place: 0 },
      view: { id: things.view, name: 'View', address: '#/raw', pinned: false, depth: null, start: false },
    },
    'views/order': { account, views: [things.view] },
    'views/estimate': { account, address: '#/overview?period=last-7-days' },
    'sync/state': undefined,
    ...{ 'views/export': anAccount, 'views/import': anAccount },
    'exports/start': {
      account,
      order: { kind: 'table', format: 'csv', rows: 'seen', query: table, columns: ['Browser', 'Bad'] },
    },
    'exports/chart': { account, name: 'Chart', png: Uint8Array.of(137, 80, 78, 71) },
    'jobs/list': undefined,
    ...{ 'jobs/cancel': aJob, 'jobs/pause': aJob, 'jobs/resume': aJob, 'jobs/dismiss': aJob },
    ...{ 'jobs/seen': aJob, 'exports/show': aJob },
    'exports/open': aJob,
    'raw/list': { account, query: { search: '', startsWith: false, sort: [], ...paged }, force: true },
    'raw/report': { account, report, force: true },
    'raw/cancel': { account, report },
    ...{ 'raw/remove': { account, reports: [report] }, 'raw/undo-remove': { account, reports: [report] } },
    'raw/request': { account, draft: { ...draft, ...range }, template: null },
    'raw/request-all': { account, drafts: [{ ...draft, ...range }], template: null },
    'raw/queue': anAccount,
    'raw/order-queue': { account, requests: [request] },
    ...{ 'raw/drop-request': { account, request }, 'raw/send-again': { account, request } },
    ...{ 'raw/last-columns': anAccount, 'raw/templates': anAccount, 'raw/schedules': anAccount },
    'raw/save-template': {
      ...{ account, template: null },
      entry: { name: 'Template', draft, period: 'last-week', save: true },
    },
    ...{ 'raw/remove-template': { account, template }, 'raw/undo-remove-template': { account, template } },
    'raw/save-schedule': {
      ...{ account, schedule: null },
      entry: { template, when: { kind: 'week', weekday: 1, hour: 6 }, paused: false },
    },
    'raw/remove-schedule': { account, schedule },
    'downloads/list': undefined,
    'downloads/start': { account, report, choose: false },
    ...{
      'downloads/pause': { download },
      'downloads/resume': { download },
      'downloads/cancel': { download },
    },
    ...{ 'downloads/show': { download }, 'downloads/open': { download } },
    'downloads/order': { downloads: [download] },
    'downloads/show-report': { account, report },
    ...{ 'publishing/read': anAccount, 'publishing/choose-folder': anAccount, 'publishing/start': anAccount },
    'publishing/stop': anAccount,
    'rows/list': anAccount,
    ...{ 'rows/import': { account, file, chosen }, 'rows/preview': { account, file, chosen, key: 'k' } },
    'rows/cancel-import': { account, file },
    'rows/take': { account, dropped: [things.dropped] },
    'rows/choose': anAccount,
    'rows/let-go': { account, file, what: 'rows' },
    'rows/page': { query, offset: 0, limit: 100, columns: ['IP'], key: 'key' },
    'rows/facets': { query, columns: ['IP'], top: 5 },
    'rows/histogram': { query, by: 'day' },
    'rows/groups': { query, ...groups, offset: 0, limit: 10 },
    'rows/clusters': { query },
    'rows/block-list': {
      ...{ query, column: 'IP', by: 'network', format: 'google-ads' },
      ...{ minBad: 2, minShare: 12.5, max: 500, allowed: ['203.0.113.0/24'] },
      ...{ campaign: 'Autumn', onlyNew: true, expiry: 30 },
    },
    'rows/search': { account: null, text: '192', max: 5 },
    'rows/recount': { account, file },
    'rows/recounted': { account, report },
    'rows/unreadable': { account, file, offset: 0, limit: 10 },
    'rows/long-cells': { query, columns: ['IP'] },
    'rows/export': { query, columns: ['IP'], format: 'csv' },
    'rows/export-table': {
      query,
      table: { kind: 'groups', ...groups, by: [...groups.by] },
      format: 'csv',
    },
    'rows/export-unreadable': { account, file },
    'rows/save-list': {
      ...{ account, name: 'List', ending: 'txt', text: '198.51.100.7', origin },
      ranges: [{ range: '198.51.100.7', seen: { first: 1 as Instant, last: 2 as Instant } }],
    },
    'rows/undo-list': { ...anAccount, list: 3 },
    'rows/lists': anAccount,
    'rows/cancel': { key: 'key' },
    'cases/list': anAccount,
    ...{ 'cases/of': aCase, 'cases/make': aCase, 'cases/remove': aCase, 'cases/save': aCase },
    'cases/begin': { account, entry, fitting: true },
    'cases/change': { ...aCase, name: 'Case', notes: 'Paid.' },
    ...{ 'cases/plan-rows': aCase, 'cases/add-rows': { ...aCase, instances: [instance] } },
    'cases/sent': { ...aCase, sent: true },
    'notes/list': anAccount,
    'notes/add': { account, entry: note },
    'notes/change': { account, id: things.note, entry: note },
    'notes/remove': { account, id: things.note },
    ...{ 'alerts/list': anAccount, 'alerts/add': { account, entry: alert } },
    'alerts/change': { account, id: things.alert, entry: { ...alert, telling: 'morning' } },
    ...{
      'alerts/remove': { account, id: things.alert },
      'alerts/preview': { account, entry: alert, key: 'preview' },
    },
    ...{
      'findings/list': { others: 100, ids: [found] },
      'findings/since': { account, day: day('2026-11-01') },
    },
    ...{ 'findings/fresh': undefined, 'findings/see': { ids: [found] } },
    'findings/dismiss': { id: found, reason: 'known' },
    ...{ 'mutes/list': anAccount, 'mutes/remove': { account, id: muted } },
    'mutes/add': { account, subject: { kind: 'alert', alert: things.alert }, until: day('2026-11-30') },
    'today/read': { since: null },
    'today/look': undefined,
    'schedules/list': anAccount,
    'schedules/save': { account, id: null, entry: scheduled },
    ...{ 'schedules/remove': { account, id: aRun.id }, 'schedules/choose-folder': anAccount },
    ...{ 'schedules/make': aRun, 'schedules/show': aRun, 'schedules/mail': aRun },
    'updates/read': undefined,
    'updates/check': undefined,
    'updates/daily': { on: true },
  }
}
