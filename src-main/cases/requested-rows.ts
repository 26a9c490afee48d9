import type { CallArgument } from '#shared/bridge/calls.ts'
import type { Case, CaseRequest } from '#shared/cases/case.ts'
import type { RowsPlan, RowsState, ShownRequest } from '#shared/cases/steps.ts'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import { isRunning, lifeOf } from '#shared/raw/life.ts'
import type { SavedState } from '#shared/raw/listed.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { RawAsking } from '#main/raw/requests/raw-asking.ts'
import type { Store } from '#main/database/state/state-store.ts'
import { draftsOf, isAllIn } from './plan-rows.ts'

export type RequestedRowsParts = {
  readonly state: Pick<Store, 'run'>
  /** The queue of raw requests, where each is sent once. */
  readonly asking: Pick<RawAsking, 'enqueue' | 'queue'>
  /** A report's row in the list; null where it is not in it. */
  readonly listed: (account: AccountId, report: RawReportId) => Promise<RawListRow | null>
  readonly savedState: (account: AccountId, report: RawReportId) => SavedState
  /** Begins to save a report's archive. */
  readonly saveReport: (account: AccountId, report: RawReportId) => Promise<unknown>
  readonly fileOf: (report: RawReportId) => RowsFileId
  /** How an archive's rows stand: read in, not yet, or reading them in failed. */
  readonly rowsOf: (account: AccountId, file: RowsFileId) => Promise<'read-in' | 'not-yet' | 'failed'>
  /** Reads an archive in; resolves when that has ended, however it did. */
  readonly readIn: (account: AccountId, file: RowsFileId) => Promise<unknown>
  /** Makes a case anew, because its rows are all in. */
  readonly make: (of: CallArgument<'cases/make'>) => Promise<unknown>
  readonly changed: (account: AccountId) => void
}

/** Raw reports that cases ask for: put into the queue, followed until they are ready, saved, read in, and given to their case. */
export class RequestedRows {
  readonly #parts: RequestedRowsParts
  /** What runs for an account, and whether something changed meanwhile. */
  readonly #running = new Map<AccountId, { again: boolean; ended: Promise<void> }>()
  /** Reports whose saving was begun here: a person who takes one off the list of downloads wants it gone. */
  readonly #begun = new Set<string>()
  #closed = false

  constructor(parts: RequestedRowsParts) {
    this.#parts = parts
  }

  /**
   * Asks for the raw reports of a plan. They are in the queue, and noted with the case, when this resolves.
   * @throws DeskFailure where one cannot be asked for; then none is
   */
  async ask(account: AccountId, { id, entry }: Pick<Case, 'id' | 'entry'>, plan: RowsPlan): Promise<void> {
    const { asking, state, changed } = this.#parts
    await asking.enqueue(account, draftsOf(entry, plan), async (requests) => {
      const named = requests.map((request, place) => ({
        ...request,
        name: plan.reports[place]?.instance.name ?? '',
      }))
      await state.run('cases/request-rows', { account, id, requests: named })
    })
    changed(account)
  }

  /** A case's requests as they stand now. */
  async shown(account: AccountId, requests: readonly CaseRequest[]): Promise<readonly ShownRequest[]> {
    if (requests.length === 0) return []
    const { state, asking } = this.#parts
    const became = await state.run('raw-requests/became', account)
    const { requests: queued } = await asking.queue({ account })
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
    const { listed, savedState, rowsOf, fileOf } = this.#parts
    const rows = await rowsOf(account, file ?? fileOf(report))
    if (rows === 'read-in') return 'read-in'
    // Rows that were in are gone again: somebody removed them.
    if (file !== null) return 'away'
    if (savedState(account, report) === 'saved') return rows === 'failed' ? 'failed' : 'saved'
    const row = await listed(account, report)
    if (row === null) return 'away'
    const life = lifeOf(row).state
    return isRunning(life) ? 'in-progress' : life === 'ready' ? 'ready' : 'failed'
  }

  /** Something of an account's raw reports, downloads or rows changed: see what can be taken in. */
  follow(account: AccountId): void {
    if (this.#closed) return
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
    this.#closed = true
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  async #followAll(account: AccountId): Promise<void> {
    const cases = await this.#parts.state.run('cases/list', account)
    for (const item of cases)
      if (!this.#closed && item.requests.some(({ file }) => file === null))
        await this.#followOne(account, item)
  }

  async #followOne(account: AccountId, { id, requests }: Pick<Case, 'id' | 'requests'>): Promise<void> {
    const { state, fileOf, make, changed } = this.#parts
    const shown = await this.shown(account, requests)
    for (const { report, state: kind } of shown) if (report !== null) await this.#take(account, report, kind)
    const now = await this.shown(account, requests)
    const came = now.flatMap(({ request, report, state: kind, file }) =>
      report !== null && file === null && kind === 'read-in'
        ? [{ request, report, file: fileOf(report) }]
        : [],
    )
    const found = now.flatMap(({ request, report, file }, place) =>
      report !== null && requests[place]?.report === null ? [{ request, report, file }] : [],
    )
    if (came.length + found.length === 0) return
    await state.run('cases/rows-came', { account, id, came: [...came, ...found] })
    changed(account)
    // Where its figures cannot be had now, the case says that its rows are others, and is updated by hand.
    if (came.length > 0 && isAllIn(now)) await make({ account, id }).catch(() => undefined)
  }

  /** Saves what is ready, and reads in what is saved. */
  async #take(account: AccountId, report: RawReportId, kind: RowsState): Promise<void> {
    const { saveReport, savedState, readIn, fileOf } = this.#parts
    const name = `${account} ${report}`
    if (kind === 'ready' && savedState(account, report) === 'none' && !this.#begun.has(name)) {
      this.#begun.add(name)
      await saveReport(account, report).catch(() => this.#begun.delete(name))
    }
    if (kind === 'saved') await readIn(account, fileOf(report)).catch(() => undefined)
  }
}

/** Of a plan, the reports of those instances that a person agreed to. @throws DeskFailure `invalid` where none is left */
export function agreedTo(plan: RowsPlan, { instances }: CallArgument<'cases/add-rows'>): RowsPlan {
  const reports = plan.reports.filter(({ instance }) => instances.includes(instance.id))
  if (reports.length === 0)
    throw new DeskFailure({
      kind: 'invalid',
      message: 'Nothing is left to request: all of it is here, on its way, or cannot be had.',
    })
  return { ...plan, reports }
}
