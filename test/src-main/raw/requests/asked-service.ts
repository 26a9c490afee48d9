import type { AcceptedReport } from '#main/raw/polling/raw-reports.ts'
import type { RawReportList } from '#main/raw/requests/requests-context.ts'
import type { CallOptions, Received, ServiceClient } from '#main/api/client.ts'
import type { ProcessingLimits, RawListRow, RawReport, RawRequestedAnswer } from '#shared/api/answers.ts'
import type { AnswerFor, ArgumentsFor, EndpointPath } from '#shared/api/endpoints.ts'
import type { InstanceId, Instant, RawReportId } from '#shared/values/ids.ts'
import { failing } from '../fake-service.ts'
import type { TickingClock } from './ticking-clock.ts'

type Asked = ArgumentsFor<'raw/request'>

/** What becomes of the next request at the service. */
type Reply =
  | { readonly made: boolean; readonly answer: Partial<RawRequestedAnswer> }
  | { readonly made: boolean; readonly failure: Error }

/** A service that makes every report at once and answers, unless a test says otherwise. */
export class AskedService {
  readonly reports: RawReport[] = []
  readonly requests: Asked[] = []
  readonly replies: Reply[] = []
  readonly paths: EndpointPath[] = []
  /** What lists fail with. */
  listFailure: Error | null = null
  recordFailure: Error | null = null
  /** Reports that were made, and are in no list yet. */
  unlisted = new Set<string>()
  limits: ProcessingLimits = {
    minutes_total: 360,
    api_concurrent: null,
    dashboard_concurrent: 2,
    minutes_available: 360,
  }
  /** While set, requests wait for it. */
  gate: Promise<void> | null = null
  readonly #clock: TickingClock
  readonly #seen = new Map<RawReportId, Instant>()
  #known: RawReportList | null = null
  /** Whether lists tell of every report. */
  complete = true
  readonly watched: AcceptedReport[] = []

  constructor(clock: TickingClock) {
    this.#clock = clock
  }

  /** Makes a report of an order, running. */
  make(asked: Asked, changes: Partial<RawReport> = {}): RawReport {
    const id = `r${this.reports.length + 1}` as RawReportId
    const report: RawReport = {
      id,
      name: asked.name ?? `Made up ${this.reports.length}`,
      type: asked.type.charAt(0).toUpperCase() + asked.type.slice(1),
      requested: new Date(this.#clock.time).toISOString(),
      ...{ created: null, failed: null, timed_out: null, cancelled: null, alerted: null, expires: null },
      status: 'In Progress',
      unknown: {},
      start: asked.start,
      end: asked.end,
      instance_id: asked.instance as InstanceId,
      instance_name: 'Acme',
      columns: { standard: asked.standard, additional: asked.additional ?? null },
      filters: asked.filters ?? null,
      send_email: asked.send_email ?? true,
      ...{ file_name: null, file_size: null, rows: null, processing_minutes: null },
      ...changes,
    }
    this.reports.push(report)
    return report
  }

  /** All that runs becomes ready. */
  finish(): void {
    const created = new Date(this.#clock.time).toISOString()
    this.reports.forEach((report, place) => (this.reports[place] = { ...report, created, status: 'Ready' }))
  }

  readonly known = async (): Promise<RawReportList | null> => this.#known

  readonly accepted = async (report: AcceptedReport): Promise<void> => {
    this.watched.push(report)
  }

  readonly refresh = async (): Promise<RawReportList> => {
    const askedAt = this.#clock.now() as Instant
    if (this.listFailure) throw this.listFailure
    const listed = this.reports.filter(({ id }) => !this.unlisted.has(id))
    const seenAt = this.#clock.now() as Instant
    for (const { id } of listed) if (!this.#seen.has(id)) this.#seen.set(id, seenAt)
    this.#known = {
      limits: this.limits,
      requestedAt: askedAt,
      complete: this.complete,
      reports: listed.map((report) => ({
        row: rowOf(report),
        firstSeen: this.#seen.get(report.id) ?? seenAt,
      })),
    }
    return this.#known
  }

  readonly client: ServiceClient = {
    call: async <P extends EndpointPath>(
      path: P,
      given: ArgumentsFor<P>,
      { signal }: CallOptions = {},
    ): Promise<Received<P>> => {
      this.paths.push(path)
      const answer = await this.#answer(path, given, signal)
      return { answer: answer as AnswerFor<P>, text: '', receivedAt: this.#clock.now() as Instant }
    },
    close: () => Promise.resolve(),
  }

  async #answer(path: EndpointPath, given: object, signal: AbortSignal | undefined): Promise<unknown> {
    if (path === 'raw/report' && 'raw' in given) {
      if (this.recordFailure) throw this.recordFailure
      const found = this.reports.find(({ id }) => id === given.raw)
      if (!found) throw failing('not-found')
      return found
    }
    if (path !== 'raw/request') throw new Error(`Nobody asks for ${path} here`)
    const asked = given as Asked
    this.requests.push(asked)
    const reply = this.replies.shift() ?? { made: true, answer: {} }
    const id = reply.made ? this.make(asked).id : null
    const aborted = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
    await (this.gate && Promise.race([this.gate, aborted]))
    if (signal?.aborted) throw failing('cancelled')
    if ('failure' in reply) throw reply.failure
    return { success: true, message: '', feedback: { pass: {}, fail: {} }, id, ...reply.answer }
  }
}

function rowOf({ instance_name, ...report }: RawReport): RawListRow {
  const { id, name, type, requested, created, failed, timed_out, cancelled, status, expires } = report
  const ends = { requested, created, failed, timed_out, cancelled, expires }
  return { id, name, type, status, ...ends, instance: instance_name, unknown: {} }
}
