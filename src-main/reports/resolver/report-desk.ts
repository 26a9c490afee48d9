import type { CallArgument } from '#shared/bridge/calls.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type {
  BeforeAnswer,
  MoversAnswer,
  PairedAnswer,
  Provenance,
  ReportAnswer,
  TrendAnswer,
  Restatements,
} from '#shared/reports/answer.ts'
import {
  answerKey,
  beforeKey,
  moversKey,
  trendKey,
  isOffered,
  normalise,
  subjectOf,
} from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { limits } from '#shared/api/parameters.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { QueryResolver } from './query-resolver.ts'
import { overviewOfQuery, tableOfQuery, trendOfQuery } from './figures-of-query.ts'
import type { ReportRequest, ResolvingParts } from './figures-of-query.ts'
import {
  isAway,
  savedElsewhere,
  snapshotElsewhere,
  pairedFigures,
  overviewElsewhere,
} from './saved-elsewhere.ts'
import { dropFiles, snapshotOfQuery } from './snapshot-of-query.ts'
import type { SnapshotAnswer, SnapshotRequest } from './snapshot-of-query.ts'
import { rowsBefore, moversOfQuery } from './rows-of-query.ts'

export type { ReportRequest } from './figures-of-query.ts'

const wholeTable = { whole: true, page: 1, limit: limits.rowsPerPage } as const

/** Answers what is asked about reports, from what is kept and from what the service says. */
export class ReportDesk {
  readonly #parts: ResolvingParts
  readonly #resolver: QueryResolver
  /** Endpoints by account whose service gave no chart that is recognised. */
  readonly #chartless = new Set<string>()

  constructor(parts: ResolvingParts, resolver: QueryResolver) {
    this.#parts = parts
    this.#resolver = resolver
  }

  /**
   * A query's figures. What is kept comes at once; `provenance.refreshing` says that newer figures are being asked for
   * behind it, and `reports/changed` follows. What is not kept waits for the service.
   * @throws DeskFailure or ServiceFailure where nothing is kept and the service does not answer
   */
  async ask({ account, query: asked, force }: ReportRequest): Promise<ReportAnswer> {
    const query = this.#checked(account, asked)
    const about = { account, query, force }
    const named = { account, key: answerKey(query), force }
    const provenanceOf = ({ provenance }: ReportAnswer) => provenance
    return query.kind === 'overview'
      ? this.#orSavedElsewhere<ReportAnswer>(
          () => this.#resolver.answer(named, () => overviewOfQuery(this.#parts, about, query)),
          (failure) => overviewElsewhere(this.#parts, account, query, failure),
          provenanceOf,
        )
      : this.#orSavedElsewhere<ReportAnswer>(
          () => this.#resolver.answer(named, () => tableOfQuery(this.#parts, about, query)),
          (failure) => savedElsewhere(this.#parts, account, query, failure),
          provenanceOf,
        )
  }

  /**
   * Every row that a query finds, in a file, of one moment: one list of files, read by one statement. What is not kept waits for
   * the service. Whoever asks moves the file away, or removes it.
   * @param signal ends the engine's work too
   * @throws what `ask` throws, and DeskFailure `cancelled`; then there is no file
   */
  async snapshot(params: SnapshotRequest, signal: AbortSignal): Promise<SnapshotAnswer> {
    const { account } = params
    const query = this.#checked(account, { ...params.query, ...wholeTable })
    if (query.kind === 'overview') throw new TypeError('An overview has no rows')
    const request = { ...params, query }
    const named = { account, key: answerKey(query), force: false }
    const written: string[] = []
    const options = { signal, wrote: (path: string) => void written.push(path) }
    const leave = () => this.#resolver.cancel(account, named.key)
    let answer: SnapshotAnswer | null = null
    signal.addEventListener('abort', leave, { once: true })
    try {
      throwIfCancelled(signal)
      const found = await this.#orSavedElsewhere<SnapshotAnswer>(
        () => this.#resolver.answer(named, () => snapshotOfQuery(this.#parts, request, options)),
        (failure) => snapshotElsewhere(this.#parts, request, failure, options),
        ({ report }) => report.provenance,
      )
      throwIfCancelled(signal)
      return (answer = found)
    } finally {
      signal.removeEventListener('abort', leave)
      await dropFiles(written, answer)
    }
  }

  /** Where the service is away and days are missing, saved tables of another question may tell them. */
  async #orSavedElsewhere<A>(
    answer: () => Promise<A>,
    elsewhere: (failure: Failure) => Promise<A | null>,
    provenanceOf: (answer: A) => Provenance,
  ): Promise<A> {
    let own: A | null = null
    let thrown: unknown = null
    try {
      own = await answer()
    } catch (error) {
      thrown = error
    }
    const failure = own ? provenanceOf(own).failure : failureOf(thrown)
    const missing = own ? provenanceOf(own).missing.length : Infinity
    if (failure !== null && missing > 0 && isAway(failure)) {
      const other = await elsewhere(failure)
      if (other && provenanceOf(other).missing.length < missing) return other
    }
    if (own) return own
    throw thrown
  }

  /** The figures of each day of a query's range. */
  async trend({ account, query, force }: ReportRequest): Promise<TrendAnswer> {
    const about = { account, query: this.#checked(account, query), force }
    const named = { account, key: trendKey(query), force }
    return this.#resolver.answer(named, () => trendOfQuery(this.#parts, about, this.#chartless))
  }

  /** The rows of some labels over the days that a table is compared with. */
  async before(request: CallArgument<'reports/before'>): Promise<BeforeAnswer> {
    const { account, query, before, force } = request
    this.#checked(account, query)
    const named = { account, key: beforeKey(query, before), force }
    return this.#resolver.answer(named, () => rowsBefore(this.#parts, request))
  }

  /** What can be compared of two ranges of which days are missing. */
  async paired(request: CallArgument<'reports/paired'>): Promise<PairedAnswer> {
    const query = this.#checked(request.account, request.query)
    return pairedFigures(this.#parts, { ...request, query })
  }

  /** The rows that moved most between two ranges. */
  async movers(request: CallArgument<'reports/movers'>): Promise<MoversAnswer> {
    const { account, query, before, header, force } = request
    this.#checked(account, query)
    const named = { account, key: moversKey(query, before, header, request), force }
    return this.#resolver.answer(named, () => moversOfQuery(this.#parts, request))
  }

  /** What was restated of what a query is about, within its days. */
  async restatements(request: CallArgument<'reports/restatements'>): Promise<Restatements> {
    const { account } = request
    const query = this.#checked(account, request.query)
    const owner = this.#parts.accounts.dataScopeOf(account)
    return this.#parts.history.restatements({ owner, subject: subjectOf(query), range: query.range })
  }

  /** @throws DeskFailure where there is no such account, or no such report */
  #checked(account: AccountId, query: ReportQuery): ReportQuery {
    this.#parts.accounts.account(account)
    if (isOffered(query)) return normalise(query)
    throw new DeskFailure({ kind: 'invalid', message: 'This family has no such table.', field: 'query' })
  }
}
