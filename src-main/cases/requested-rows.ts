import type { CallArgument } from '#shared/bridge/calls.ts'
import type {
  Case,
  CaseRequest,
  CaseEntry,
  RowsPlan,
  CaseRowsState,
  ShownRequest,
} from '#shared/cases/case.ts'
import { invalid } from '#shared/api/failure.ts'
import { isRunning, lifeOf } from '#shared/raw/list.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { idOfReport } from '#main/archives/source-files.ts'
import { withSignal } from '#main/lib/async.ts'
import { cameToNothing, isComing } from '#shared/cases/case.ts'
import { earliestStart } from '#shared/raw/draft.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { limits } from '#shared/api/parameters.ts'
import { rawStandardColumns } from '#shared/api/raw-columns.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { hasAllOf } from './case-archives.ts'
import type { CaseFile } from './case-archives.ts'
import type { CasesContext } from './cases-context.ts'
import type { Concerned } from './case-figures.ts'

/** Raw reports requested for cases: queued, followed until they are ready, downloaded, imported, and added to their case. */
export class RequestedRows {
  readonly #context: CasesContext
  readonly #make: (request: CallArgument<'cases/make'>) => Promise<unknown>
  /** Running passes by account. `again`: something changed during the pass. */
  readonly #running = new Map<AccountId, { again: boolean; ended: Promise<void> }>()
  /** Reports whose download was started here. A download that the user removed is not started again. */
  readonly #startedDownloads = new Set<string>()
  readonly #closing = new AbortController()

  /** @param make updates a case whose rows are all imported */
  /** @param make updates a case whose rows are all imported */
  constructor(context: CasesContext, make: (request: CallArgument<'cases/make'>) => Promise<unknown>) {
    this.#context = context
    this.#make = make
  }

  /**
   * Requests the raw reports of a plan. When this resolves, the requests are queued and stored with the case.
   * @throws DeskFailure if a report cannot be requested; then none is
   */
  async ask(account: AccountId, { id, entry }: Case, plan: RowsPlan): Promise<void> {
    const { raw, store } = this.#context
    await raw.requests.enqueue(account, draftsOf(entry, plan), async (requests) => {
      const named = requests.map((request, place) => ({
        ...request,
        name: plan.reports[place]?.instance.name ?? '',
      }))
      await store.run('cases/request-rows', { account, id, requests: named })
    })
    this.#changed(account)
  }

  #changed(account: AccountId): void {
    this.#context.events.emit({ kind: 'rows/changed', account })
  }

  /** Returns the current state of a case's requests. */
  async shown(account: AccountId, requests: readonly CaseRequest[]): Promise<readonly ShownRequest[]> {
    if (requests.length === 0) return []
    const { raw, store } = this.#context
    const became = await store.run('raw-requests/became', account)
    const { requests: queued } = await raw.requests.queue({ account })
    const open = new Map(queued.map((rawRequest) => [rawRequest.id, rawRequest.state.kind]))
    const shown: ShownRequest[] = []
    for (const request of requests) {
      const report = request.report ?? became.get(request.request)?.report ?? null
      const stuck = open.get(request.request)
      const kind =
        report !== null
          ? await this.#stateOf(account, report, request.file)
          : stuck === undefined
            ? 'away'
            : stuck === 'unclear' || stuck === 'refused'
              ? 'stuck'
              : 'queued'
      shown.push({ ...request, report, state: kind })
    }
    return shown
  }

  async #stateOf(account: AccountId, report: RawReportId, file: RowsFileId | null): Promise<CaseRowsState> {
    const { raw, archives } = this.#context
    const rows = await archives.imports.stateOf(account, file ?? idOfReport(report))
    if (rows === 'imported') return 'imported'
    // Imported rows that are missing were removed by the user.
    if (file !== null) return 'away'
    if (raw.downloads.savedState(account, report) === 'saved') return rows === 'failed' ? 'failed' : 'saved'
    const row = await raw.reports.known(account, report)
    if (row === null) return 'away'
    const life = lifeOf(row).state
    return isRunning(life) ? 'in-progress' : life === 'ready' ? 'ready' : 'failed'
  }

  /** Processes changes of an account's raw reports, downloads or rows. */
  follow(account: AccountId): void {
    if (this.#closing.signal.aborted) return
    const running = this.#running.get(account)
    if (running) {
      running.again = true
      return
    }
    const turn = { again: false, ended: Promise.resolve() }
    turn.ended = this.#followAll(account)
      // After a failure, the next change retries.
      .catch(() => undefined)
      .finally(() => {
        this.#running.delete(account)
        if (turn.again) this.follow(account)
      })
    this.#running.set(account, turn)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  async #followAll(account: AccountId): Promise<void> {
    const cases = await this.#context.store.run('cases/list', account)
    for (const item of cases)
      if (!this.#closing.signal.aborted && item.requests.some(({ file }) => file === null))
        await this.#followOne(account, item)
  }

  async #followOne(account: AccountId, { id, requests }: Pick<Case, 'id' | 'requests'>): Promise<void> {
    const shown = await this.shown(account, requests)
    for (const { report, state: kind } of shown) if (report !== null) await this.#take(account, report, kind)
    const now = await this.shown(account, requests)
    const came = now.flatMap(({ request, report, state: kind, file }) =>
      report !== null && file === null && kind === 'imported'
        ? [{ request, report, file: idOfReport(report) }]
        : [],
    )
    const found = now.flatMap(({ request, report, file }, place) =>
      report !== null && requests[place]?.report === null ? [{ request, report, file }] : [],
    )
    if (came.length + found.length === 0) return
    await this.#context.store.run('cases/rows-came', { account, id, came: [...came, ...found] })
    this.#changed(account)
    // If the figures are unavailable, the case shows that its rows have changed, and the user updates it.
    if (came.length > 0 && isAllIn(now)) await this.#make({ account, id }).catch(() => undefined)
  }

  /** Downloads a report that is ready, and imports a downloaded one. */
  async #take(account: AccountId, report: RawReportId, kind: CaseRowsState): Promise<void> {
    const { raw, archives } = this.#context
    const name = `${account} ${report}`
    const isNowhere = () => raw.downloads.savedState(account, report) === 'none'
    if (kind === 'ready' && isNowhere() && !this.#startedDownloads.has(name)) {
      this.#startedDownloads.add(name)
      await raw.downloads
        .start({ account, report, choose: false })
        .catch(() => this.#startedDownloads.delete(name))
    }
    if (kind !== 'saved') return
    const importArchive = () => archives.imports.importArchive(account, idOfReport(report))
    // Closing does not wait for an import.
    await withSignal(this.#closing.signal, importArchive).catch(() => undefined)
  }
}

/** Limits a plan to the instances that the user agreed to. @throws DeskFailure `invalid` if no report remains */
export function agreedTo(plan: RowsPlan, { instances }: CallArgument<'cases/add-rows'>): RowsPlan {
  const reports = plan.reports.filter(({ instance }) => instances.includes(instance.id))
  if (reports.length === 0)
    throw invalid('Nothing left to request: rows are here, on their way or unavailable.')
  return { ...plan, reports }
}

type Planned = {
  readonly entry: CaseEntry
  readonly instances: readonly Concerned[]
  readonly files: readonly CaseFile[]
  readonly requests: readonly ShownRequest[]
  readonly today: Day
}

/** Days of a range that raw reports can still cover; null if there are none (specification: limits, report start date). */
function availableDays({ start, end }: DayRange, today: Day): DayRange | null {
  const earliest = earliestStart(today)
  const available = { start: start < earliest ? earliest : start, end: end > today ? today : end }
  return available.start > available.end ? null : available
}

/**
 * Plans the raw reports that a case lacks: one per instance, because the interface takes one, over the available days. Omits reports that
 * are on their way, and instances that need the user's decision first.
 */
export function planRows({ entry, instances, files, requests, today }: Planned): RowsPlan {
  const { range } = entry.scope
  const days = availableDays(range, today)
  if (days === null)
    return {
      reports: [],
      omissions: [
        `The service has rows of the last ${limits.rawDaysBack} days. All days of this case are older.`,
      ],
    }
  const withTraffic = instances.filter(({ requests: counted }) => counted !== 0)
  const needed = withTraffic.filter(({ id }) => !hasAllOf(files, id, days))
  const ofInstance = (id: Concerned['id']) => requests.filter((request) => request.instance.id === id)
  const undecided = needed.filter(({ id }) => ofInstance(id).some(({ state }) => state === 'stuck'))
  return {
    reports: needed
      .filter((concerned) => !undecided.includes(concerned) && !ofInstance(concerned.id).some(isComing))
      .map(({ id, name }) => ({ instance: { id, name }, range: days })),
    omissions: [
      ...(days.start > range.start
        ? [
            `The service has rows of the last ${limits.rawDaysBack} days. Those before ${days.start} are unavailable.`,
          ]
        : []),
      ...(days.end < range.end ? [`Days after ${days.end} are not available yet.`] : []),
      ...undecided.map(({ name }) => `A request for ${name} is on hold in Raw reports.`),
      ...(withTraffic.length === 0 ? ['No instance has traffic in this case, by the tables.'] : []),
    ],
  }
}

/** Maximum length of a name, enough to distinguish reports. */
const longestName = 200

/** Drafts of a plan's raw reports, limited to the scope's source and campaign, with every standard column. */
const draftsOf = ({ scope, name }: CaseEntry, { reports }: RowsPlan): RawDraft[] => {
  const type = scope.family === 'direct' ? 'direct' : 'response'
  return reports.map(({ instance, range }) => ({
    type,
    instance: instance.id,
    ...range,
    name: `${name} (${instance.name})`.slice(0, longestName),
    standard: rawStandardColumns[type],
    additional: [],
    // The service cannot select rows without a source: the case selects them among all rows.
    filters: (['source', 'campaign'] as const).flatMap((column) => {
      const value = scope[column]
      return value === null || value === '' ? [] : [{ column, operator: 'equals' as const, value }]
    }),
    email: false,
  }))
}

/** Whether every request of a case is imported or has failed. */
const isAllIn = (requests: readonly ShownRequest[]): boolean =>
  requests.every((request) => request.state === 'imported' || cameToNothing(request))
