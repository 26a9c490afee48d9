import type { CallArgument } from '#shared/bridge/calls.ts'
import type { Case, CaseRequest, CaseEntry, RowsPlan, RowsState, ShownRequest } from '#shared/cases/case.ts'
import { invalid } from '#shared/api/failure.ts'
import { isRunning, lifeOf } from '#shared/raw/list.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { ArchiveImports } from '#main/archives/imports.ts'
import { idOfReport } from '#main/archives/source-files.ts'
import { withSignal } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import type { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { RawRequests } from '#main/raw/requests/raw-requests.ts'
import { cameToNothing, isComing } from '#shared/cases/case.ts'
import { earliestStart } from '#shared/raw/draft.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { limits } from '#shared/api/parameters.ts'
import { rawStandardColumns } from '#shared/api/raw-columns.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { hasAllOf } from './case-archives.ts'
import type { CaseFile } from './case-archives.ts'
import type { Concerned } from './case-figures.ts'

/** Raw reports asked for, followed and saved, as cases need them. */
export type CaseRaw = {
  /** The queue of raw requests, where each is sent once. */
  readonly requests: Pick<RawRequests, 'enqueue' | 'queue'>
  readonly reports: Pick<RawReports, 'known' | 'report'>
  readonly downloads: Pick<Downloads, 'savedState' | 'start'>
}

/** Raw reports that cases ask for: put into the queue, followed until they are ready, saved, read in, and given to their case. */
export class RequestedRows {
  readonly #state: Pick<Store, 'run'>
  readonly #raw: CaseRaw
  readonly #imports: Pick<ArchiveImports, 'rowsOf' | 'readIn'>
  readonly #events: AppEvents
  readonly #make: (request: CallArgument<'cases/make'>) => Promise<unknown>
  /** What runs for an account, and whether something changed meanwhile. */
  readonly #running = new Map<AccountId, { again: boolean; ended: Promise<void> }>()
  /** Reports whose saving was begun here: a person who takes one off the list of downloads wants it gone. */
  readonly #begun = new Set<string>()
  readonly #closing = new AbortController()

  /** @param make makes a case anew, because its rows are all in */
  constructor(
    state: Pick<Store, 'run'>,
    raw: CaseRaw,
    imports: Pick<ArchiveImports, 'rowsOf' | 'readIn'>,
    events: AppEvents,
    make: (request: CallArgument<'cases/make'>) => Promise<unknown>,
  ) {
    this.#state = state
    this.#raw = raw
    this.#imports = imports
    this.#events = events
    this.#make = make
  }

  /**
   * Asks for the raw reports of a plan. They are in the queue, and noted with the case, when this resolves.
   * @throws DeskFailure where one cannot be asked for; then none is
   */
  async ask(account: AccountId, { id, entry }: Pick<Case, 'id' | 'entry'>, plan: RowsPlan): Promise<void> {
    await this.#raw.requests.enqueue(account, draftsOf(entry, plan), async (requests) => {
      const named = requests.map((request, place) => ({
        ...request,
        name: plan.reports[place]?.instance.name ?? '',
      }))
      await this.#state.run('cases/request-rows', { account, id, requests: named })
    })
    this.#changed(account)
  }

  #changed(account: AccountId): void {
    this.#events.emit({ kind: 'rows/changed', account })
  }

  /** A case's requests as they stand now. */
  async shown(account: AccountId, requests: readonly CaseRequest[]): Promise<readonly ShownRequest[]> {
    if (requests.length === 0) return []
    const became = await this.#state.run('raw-requests/became', account)
    const { requests: queued } = await this.#raw.requests.queue({ account })
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

  async #stateOf(account: AccountId, report: RawReportId, file: RowsFileId | null): Promise<RowsState> {
    const raw = this.#raw
    const rows = await this.#imports.rowsOf(account, file ?? idOfReport(report))
    if (rows === 'read-in') return 'read-in'
    // Rows that were in are gone again: somebody removed them.
    if (file !== null) return 'away'
    if (raw.downloads.savedState(account, report) === 'saved') return rows === 'failed' ? 'failed' : 'saved'
    const row = await raw.reports.known(account, report)
    if (row === null) return 'away'
    const life = lifeOf(row).state
    return isRunning(life) ? 'in-progress' : life === 'ready' ? 'ready' : 'failed'
  }

  /** Something of an account's raw reports, downloads or rows changed: see what can be taken in. */
  follow(account: AccountId): void {
    if (this.#closing.signal.aborted) return
    const running = this.#running.get(account)
    if (running) {
      running.again = true
      return
    }
    const turn = { again: false, ended: Promise.resolve() }
    turn.ended = this.#followAll(account)
      // What cannot be read or written now is tried with the next change.
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
    const cases = await this.#state.run('cases/list', account)
    for (const item of cases)
      if (!this.#closing.signal.aborted && item.requests.some(({ file }) => file === null))
        await this.#followOne(account, item)
  }

  async #followOne(account: AccountId, { id, requests }: Pick<Case, 'id' | 'requests'>): Promise<void> {
    const shown = await this.shown(account, requests)
    for (const { report, state: kind } of shown) if (report !== null) await this.#take(account, report, kind)
    const now = await this.shown(account, requests)
    const came = now.flatMap(({ request, report, state: kind, file }) =>
      report !== null && file === null && kind === 'read-in'
        ? [{ request, report, file: idOfReport(report) }]
        : [],
    )
    const found = now.flatMap(({ request, report, file }, place) =>
      report !== null && requests[place]?.report === null ? [{ request, report, file }] : [],
    )
    if (came.length + found.length === 0) return
    await this.#state.run('cases/rows-came', { account, id, came: [...came, ...found] })
    this.#changed(account)
    // Where its figures cannot be had now, the case says that its rows are others, and is updated by hand.
    if (came.length > 0 && isAllIn(now)) await this.#make({ account, id }).catch(() => undefined)
  }

  /** Saves what is ready, and reads in what is saved. */
  async #take(account: AccountId, report: RawReportId, kind: RowsState): Promise<void> {
    const raw = this.#raw
    const name = `${account} ${report}`
    const isNowhere = () => raw.downloads.savedState(account, report) === 'none'
    if (kind === 'ready' && isNowhere() && !this.#begun.has(name)) {
      this.#begun.add(name)
      await raw.downloads.start({ account, report, choose: false }).catch(() => this.#begun.delete(name))
    }
    if (kind !== 'saved') return
    const readIn = () => this.#imports.readIn(account, idOfReport(report))
    // Who closes cases does not wait for an archive.
    await withSignal(this.#closing.signal, readIn).catch(() => undefined)
  }
}

/** Of a plan, the reports of those instances that a person agreed to. @throws DeskFailure `invalid` where none is left */
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

/** Days of a range that raw reports can still be asked for; null where there are none (specification: limits, report start date). */
function daysLeft({ start, end }: DayRange, today: Day): DayRange | null {
  const earliest = earliestStart(today)
  const left = { start: start < earliest ? earliest : start, end: end > today ? today : end }
  return left.start > left.end ? null : left
}

/**
 * The raw reports that a case needs besides what it has: one an instance, because the interface takes one, over the days that can be
 * asked for. Those that are on their way are not asked for again, nor what a person has to decide first.
 */
export function planRows({ entry, instances, files, requests, today }: Planned): RowsPlan {
  const { range } = entry.scope
  const days = daysLeft(range, today)
  if (days === null)
    return {
      reports: [],
      left: [`The service has rows of the last ${limits.rawDaysBack} days. All days of this case are older.`],
    }
  const withTraffic = instances.filter(({ requests: counted }) => counted !== 0)
  const needed = withTraffic.filter(({ id }) => !hasAllOf(files, id, days))
  const ofInstance = (id: Concerned['id']) => requests.filter((request) => request.instance.id === id)
  const undecided = needed.filter(({ id }) => ofInstance(id).some(({ state }) => state === 'stuck'))
  return {
    reports: needed
      .filter((concerned) => !undecided.includes(concerned) && !ofInstance(concerned.id).some(isComing))
      .map(({ id, name }) => ({ instance: { id, name }, range: days })),
    left: [
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

/** So much of a name tells reports apart. */
const longestName = 200

/** A draft for each raw report of a plan, limited to the scope's source and campaign, with every column of its type. */
const draftsOf = ({ scope, name }: CaseEntry, { reports }: Pick<RowsPlan, 'reports'>): RawDraft[] => {
  const type = scope.family === 'direct' ? 'direct' : 'response'
  return reports.map(({ instance, range }) => ({
    type,
    instance: instance.id,
    ...range,
    name: `${name} (${instance.name})`.slice(0, longestName),
    standard: rawStandardColumns[type],
    additional: [],
    // Rows without a source cannot be asked for alone; of all rows the case counts its own.
    filters: (['source', 'campaign'] as const).flatMap((column) => {
      const value = scope[column]
      return value === null || value === '' ? [] : [{ column, operator: 'equals' as const, value }]
    }),
    email: false,
  }))
}

/** Whether all that a case asked for has come, or come to nothing. */
const isAllIn = (requests: readonly ShownRequest[]): boolean =>
  requests.every((request) => request.state === 'read-in' || cameToNothing(request))
