import type { RawTableAnswer, RawListRow, RawReport } from '#shared/api/answers.ts'
import type { AnswerFor, ArgumentsFor, EndpointPath } from '#shared/api/endpoints.ts'
import type { FailureKind } from '#shared/api/failure.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import type { CallOptions, ServiceClient } from '#main/api/client.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'

export const reportId = (name: string) => name as RawReportId

/** A row of a report that runs, unless a test says otherwise. */
export const row = (id: string, changes: Partial<RawListRow> = {}): RawListRow => ({
  id: reportId(id),
  name: `Report ${id}`,
  instance: 'Shop',
  type: 'Response',
  requested: '2026-11-20T10:00:00+00:00',
  created: null,
  failed: null,
  timed_out: null,
  cancelled: null,
  status: 'In Progress',
  expires: '2026-12-21T00:00:00+00:00',
  unknown: {},
  ...changes,
})

export const ready = { created: '2026-11-20T11:00:00+00:00', status: 'Ready' }

export const recordOf = ({ instance, ...rest }: RawListRow): RawReport => ({
  ...rest,
  start: null,
  end: null,
  instance_id: null,
  instance_name: instance,
  columns: { standard: ['source'], additional: null },
  filters: null,
  send_email: false,
  file_name: null,
  file_size: rest.created === null ? null : 1234,
  rows: rest.created === null ? null : 99,
  alerted: null,
  processing_minutes: 1,
})

export const failing = (kind: FailureKind, said?: string) =>
  new ServiceFailure({ kind, message: `It is ${kind}.`, ...(said !== undefined && { said }) })

type RawPath = 'raw/table' | 'raw/report' | 'raw/cancel' | 'raw/remove'
type Given = Readonly<Record<string, unknown>>
type Call = { readonly path: EndpointPath; readonly given: Given }

/** A service of raw reports in memory, which does what a test tells it to. */
export class FakeService {
  readonly rows = new Map<string, RawListRow>()
  readonly calls: Call[] = []
  /** Most rows of a page, whatever is asked for. */
  pageSize = 1000
  /** Whether the token may see the breakdown of usage. */
  admin = false
  /** Before each call: may throw instead of it, or after it has been carried out. */
  before: (path: RawPath, given: Given) => void = () => undefined
  after: (path: RawPath, given: Given) => void = () => undefined
  /** Reports that lists leave out, on all their pages. */
  hidden: ReadonlySet<string> = new Set()
  /** While set, answers of lists are on their way until it is over. */
  slow: Promise<void> | null = null
  /** Changes the page that is about to be answered. */
  page: (answer: RawTableAnswer, page: number) => RawTableAnswer = (answer) => answer

  put(...rows: RawListRow[]): void {
    for (const each of rows) this.rows.set(each.id, each)
  }

  change(id: string, changes: Partial<RawListRow>): void {
    const found = this.rows.get(id)
    if (found) this.rows.set(id, { ...found, ...changes })
  }

  /** The paths asked since the last look. */
  received(): string[] {
    return this.calls.splice(0).map(({ path }) => path)
  }

  readonly client: ServiceClient = {
    call: async <P extends EndpointPath>(path: P, given: ArgumentsFor<P>, options?: CallOptions) => {
      options?.signal?.throwIfAborted()
      this.calls.push({ path, given: given as Given })
      await Promise.resolve()
      const answer = this.#carriedOut(path as RawPath, given as Given)
      if (path === 'raw/table') await this.slow
      // The answer is of the kind that the path says: each branch below makes that of its own path.
      return { answer: answer as AnswerFor<P>, text: '', receivedAt: Date.now() as Instant }
    },
    close: () => Promise.resolve(),
  }

  #carriedOut(path: RawPath, given: Given): AnswerFor<RawPath> {
    this.before(path, given)
    const answer = this.#answer(path, given)
    this.after(path, given)
    return answer
  }

  #answer(path: RawPath, given: Given): AnswerFor<RawPath> {
    switch (path) {
      case 'raw/table':
        return this.#table(given)
      case 'raw/report': {
        const found = this.rows.get(String(given['raw']))
        if (!found) throw failing('not-found')
        return recordOf(found)
      }
      case 'raw/cancel':
        return this.#cancel(String(given['raw']))
      case 'raw/remove':
        return this.#remove([given['raw']].flat().map(String))
    }
  }

  #table({ page = 1, processing_usage }: Given): RawTableAnswer {
    if (processing_usage === true && !this.admin) throw failing('no-right')
    const all = [...this.rows.values()].filter(({ id }) => !this.hidden.has(id)).toReversed()
    const from = (Number(page) - 1) * this.pageSize
    return this.page(
      {
        limits: { minutes_total: 360, api_concurrent: 1, dashboard_concurrent: 2, minutes_available: 300 },
        usage: processing_usage === true ? { usage: [{ date: 20261120 }] } : {},
        rows: all.slice(from, from + this.pageSize),
        query: { results: all.length, pages: Math.ceil(all.length / this.pageSize), echo: {} },
      },
      Number(page),
    )
  }

  #cancel(id: string) {
    const found = this.rows.get(id)
    const running = found?.status === 'In Progress'
    if (running) this.change(id, { cancelled: '2026-11-20T10:30:00+00:00', status: 'Cancelled' })
    return this.#done(running ? [id] : [], running ? [] : [id], 'The report is not in progress')
  }

  #remove(ids: readonly string[]) {
    const here = ids.filter((id) => this.rows.delete(id))
    return this.#done(
      here,
      ids.filter((id) => !here.includes(id)),
      'There is no such report',
    )
  }

  #done(pass: readonly string[], fail: readonly string[], words: string) {
    const named = (ids: readonly string[], text: string) => Object.fromEntries(ids.map((id) => [id, text]))
    return {
      success: fail.length === 0,
      message: fail.length === 0 ? 'Done' : 'Not all was done',
      feedback: { pass: named(pass, 'Done'), fail: named(fail, words) },
    }
  }
}
