import type { EndpointPath } from '#shared/api/endpoints.ts'
import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { argumentsOf, encodedText, Refusal } from '../contracts.ts'
import type { SandboxHandler, SandboxRequest, RawRows, Behaviour } from '../contracts.ts'
import type { RawControl } from '../control/server.ts'
import type { SandboxState } from '../control/state.ts'
import { rowCounter, createArchives } from './archive.ts'
import { createAddresses, startDownloadServer } from './download-server.ts'
import { minutesLeft, fullRecord, rawTable } from './list.ts'
import { checkOrder } from './order.ts'
import type { Failures, LookupInstance, RawOrder } from './order.ts'
import { lifeAt, minutesFor, createReports, everything, statusLabels } from './report.ts'
import type { SandboxReports, SandboxOutcome, SandboxReport } from './report.ts'

/** Dependencies of the handlers that change reports. */
type RawActions = {
  readonly reports: SandboxReports
  readonly rows: RawRows
  readonly instances: readonly LookupInstance[]
  /** Returns the outcome of the next report and resets it. */
  readonly takeOutcome: () => SandboxOutcome
}

/** Handles raw/request. Returns the new report's id, or reasons by parameter (`processing` for reached limits). */
function rawRequest({ reports, rows, instances, takeOutcome }: RawActions): SandboxHandler {
  return (request) => {
    const { behaviour, now } = request
    const checked = checkOrder(argumentsOf('raw/request', request), request, instances)
    if (checked.kind === 'refused') return refused(request, 'The report was not requested', checked.fail)
    const { order } = checked
    const source = rows.restated(behaviour.restated)
    const counted = rowCounter(order, source)
    const minutes = minutesFor(counted())
    const full = limitReached(request, reports, minutes)
    if (full !== null) return refused(request, full, { processing: full })
    const ends = now + minutes * behaviour.raw.secondsPerMinute * 1000
    const report = reports.add(order, {
      source,
      rows: counted,
      requested: now,
      ends,
      outcome: takeOutcome(),
      cancelled: null,
    })
    return { ...done('The report was requested', { [report.id]: 'Requested' }), id: report.id }
  }
}

function limitReached({ behaviour, now, today }: SandboxRequest, reports: SandboxReports, minutes: number) {
  const { concurrency, minutes: total } = behaviour.raw
  if (reports.inProgress(now) >= concurrency)
    return `Reports in progress at one time: ${concurrency}. Wait for one to finish`
  const left = minutesLeft(reports, today, total)
  return minutes > left ? `The report takes ${minutes} processing minutes, and ${left} are left today` : null
}

/** Handles raw/cancel. Only reports in progress can be cancelled. */
function rawCancel({ reports }: RawActions): SandboxHandler {
  return (request) => {
    const { raw } = argumentsOf('raw/cancel', request)
    const report = reports.find(raw, request.rights, request.now)
    if (!report) return refused(request, 'The report was not cancelled', { [raw]: 'There is no such report' })
    if (lifeAt(report, request.now).kind !== 'in_progress') {
      return refused(request, 'The report was not cancelled', { [raw]: 'The report is not in progress' })
    }
    reports.cancel(report, request.now)
    return done('The report was cancelled', { [raw]: 'Cancelled' })
  }
}

/** Handles raw/remove. Each id succeeds or fails separately; `success` needs all to succeed. */
function rawRemove({ reports }: RawActions): SandboxHandler {
  return (request) => {
    const { raw } = argumentsOf('raw/remove', request)
    const ids = [...new Set(typeof raw === 'string' ? [raw] : raw)]
    const pass: Record<string, string> = {}
    const fail: Record<string, string> = {}
    for (const id of ids) {
      const report = reports.find(id, request.rights, request.now)
      if (report) {
        reports.remove(report)
        pass[id] = 'Removed'
      } else {
        fail[id] = 'There is no such report'
      }
    }
    const failed = Object.keys(fail).length
    if (failed === 0 && ids.length > 0) return done(`Reports removed: ${ids.length}`, pass)
    return refused(request, `Reports not removed: ${failed} of ${ids.length}`, fail, pass)
  }
}

function done(message: string, pass: Readonly<Record<string, string>>) {
  return { success: true, message: encodedText(message), feedback: { pass: allEncoded(pass), fail: {} } }
}

/**
 * Returns a refusal in the behaviour's form. A partial success is never a 400, so that it lists what succeeded.
 * @throws Refusal 400
 */
function refused(
  { behaviour }: SandboxRequest,
  message: string,
  fail: Failures,
  pass: Readonly<Record<string, string>> = {},
) {
  if (behaviour.raw.refusals === 'bad-request' && Object.keys(pass).length === 0) {
    const reasons = Object.entries(fail).map(([field, words]) => `${field}: ${words}`)
    throw new Refusal(400, [message, ...reasons].join('. '))
  }
  return {
    success: false,
    message: encodedText(message),
    feedback: { pass: allEncoded(pass), fail: allEncoded(fail) },
  }
}

function allEncoded(words: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(words).map(([name, text]) => [name, encodedText(text)]))
}

const MINUTE = 60_000

type Seeded = Pick<RawOrder, 'type' | 'standard' | 'additional' | 'filters' | 'name' | 'sendEmail'> & {
  /** Index of the instance, modulo the number of instances. */
  readonly instance: number
  /** Days before today: of the request, and of the first and last day of its range. */
  readonly requested: number
  readonly from: number
  readonly to: number
  /** Time of the request in UTC. */
  readonly time: string
  readonly end: SandboxReport['outcome'] | 'cancelled'
}

/** Initial reports: one of each outcome, and one that expires at the next midnight. */
const seeded: readonly Seeded[] = [
  {
    ...{ name: 'Monthly check', type: 'response', instance: 0, sendEmail: true, end: 'ready' },
    ...{ requested: 30, time: '07:45', from: 37, to: 31 },
    standard: ['source', 'campaign', 'result', 'rule_sets', 'country'],
    ...{ additional: null, filters: null },
  },
  {
    ...{ name: 'Devices by day', type: 'direct', instance: 1, sendEmail: false, end: 'timed_out' },
    ...{ requested: 12, time: '16:20', from: 40, to: 12 },
    standard: ['result', 'device_type', 'app_id', 'device_id'],
    additional: [1, 2],
    filters: [{ column: 'device_id', operator: 'not_empty' }],
  },
  {
    ...{ name: 'Networks, wide', type: 'direct', instance: 0, sendEmail: false, end: 'failed' },
    ...{ requested: 5, time: '13:05', from: 11, to: 5 },
    standard: ['network', 'country', 'result'],
    ...{ additional: null, filters: null },
  },
  {
    ...{ name: null, type: 'request', instance: 1, sendEmail: true, end: 'cancelled' },
    ...{ requested: 3, time: '09:30', from: 9, to: 3 },
    standard: ['source', 'exid', 'location'],
    additional: [3],
    filters: [{ column: 'result', value: 'drops' }],
  },
  {
    ...{ name: 'Bad at 50%+ / "é 中"', type: 'response', instance: 0, sendEmail: false, end: 'ready' },
    ...{ requested: 2, time: '08:15', from: 8, to: 2 },
    standard: ['source', 'result', 'invalid_traffic_type', 'user_agent', 'page', 'referrer'],
    additional: [1, 3, 5],
    filters: [{ column: 'result', operator: 'equals', value: 'bad' }],
  },
  {
    ...{ name: 'Requests of yesterday', type: 'request', instance: 2, sendEmail: true, end: 'ready' },
    ...{ requested: 1, time: '22:10', from: 1, to: 1 },
    standard: ['source', 'campaign', 'exid', 'country', 'browser_name', 'os_name', 'location'],
    ...{ additional: null, filters: null },
  },
]

/** Adds the initial reports, so that the list is never empty. Day and instances determine them. */
function addSeededReports(
  reports: SandboxReports,
  { today, instances, rows: source }: { today: Day; instances: readonly LookupInstance[]; rows: RawRows },
): void {
  for (const [place, each] of seeded.entries()) {
    const instance = instances[each.instance % instances.length]
    if (!instance) return
    const requested = Date.parse(`${addDays(today, -each.requested)}T${each.time}:00Z`)
    const range = { start: addDays(today, -each.from), end: addDays(today, -each.to) }
    const ends = requested + 3 * MINUTE
    const making =
      each.end === 'cancelled'
        ? { outcome: 'ready' as const, cancelled: requested + MINUTE }
        : { outcome: each.end, cancelled: null }
    const { type, standard, additional, filters, name, sendEmail } = each
    const order = { type, standard, additional, filters, name, sendEmail, instance, range }
    const made = { ...making, source, rows: rowCounter(order, source), requested, ends }
    // The id depends on today: tomorrow's report is a different one.
    reports.add(order, made, `${today} ${place}`)
  }
}

export type RawPath = Extract<EndpointPath, `raw/${string}`>

/** The raw reports of a running sandbox. */
type Raw = RawControl & {
  readonly handlers: Readonly<Record<RawPath, SandboxHandler>>
  /** Address of the download server. */
  readonly downloads: string
  readonly close: () => Promise<void>
}

/**
 * Starts the raw reports: the initial reports, six endpoints and the download server.
 * @param world.instances all instances
 */
export async function startRaw(world: {
  seed: number
  today: Day
  rows: RawRows
  instances: readonly LookupInstance[]
  state: SandboxState
  /** Distinguishes this start from others. */
  start?: string
}): Promise<Raw> {
  const { seed, state } = world
  const reports = createReports(seed, world.start)
  addSeededReports(reports, world)
  const archives = createArchives()
  const addresses = createAddresses(seed)
  const sizesOf = (report: SandboxReport, { archiveVersion, emptyArchives }: Behaviour) =>
    emptyArchives ? Promise.resolve({ packed: 0, unpacked: 0 }) : archives.sizesOf(report, archiveVersion)
  const exists = (report: SandboxReport) =>
    reports.find(report.id, everything, state.clock.now()) !== undefined
  const server = await startDownloadServer({ state, addresses, archives, exists })

  let next: SandboxOutcome = 'ready'
  const takeOutcome = () => {
    const outcome = next
    next = 'ready'
    return outcome
  }
  const actions = { ...world, reports, takeOutcome }
  const handlers: Raw['handlers'] = {
    'raw/table': rawTable(reports),
    'raw/report': (request) => {
      const report = reportOf(reports, request, argumentsOf('raw/report', request).raw)
      return fullRecord(report, request, () => sizesOf(report, request.behaviour))
    },
    'raw/request': rawRequest(actions),
    'raw/cancel': rawCancel(actions),
    'raw/download': (request) => {
      const report = reportOf(reports, request, argumentsOf('raw/download', request).raw)
      if (lifeAt(report, request.now).kind !== 'ready') throw new Refusal(400, 'The report is not ready')
      return { url: encodedText(`${server.address}${addresses.issue(report, request.now)}`) }
    },
    'raw/remove': rawRemove(actions),
  }
  return {
    handlers,
    downloads: server.address,
    close: server.close,
    endNext: (outcome) => {
      next = outcome
    },
    summary: () => {
      const now = state.clock.now()
      return reports
        .visible(everything, now)
        .map((report) => ({ id: report.id, status: statusLabels[lifeAt(report, now).kind] }))
    },
  }
}

/** @throws Refusal 404 if the token sees no such report */
function reportOf(reports: SandboxReports, { rights, now }: SandboxRequest, id: string): SandboxReport {
  const report = reports.find(id, rights, now)
  if (!report) throw new Refusal(404, 'There is no such report')
  return report
}
