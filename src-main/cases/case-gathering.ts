import { isReachable } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { CaseFindings, CaseScope } from '#shared/cases/case.ts'
import { commonDays, gatheredSince } from '#shared/reports/answer.ts'
import type {
  AgedFigures,
  CommonDays,
  Provenance,
  TrendAnswer,
  OverviewReport,
  TableReport,
} from '#shared/reports/answer.ts'
import { normalise, plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Reports } from '#main/reports/reports.ts'

/** One query per instance of a scope, or one for all. Their counts add up. */
function queriesOf(scope: CaseScope, chart: boolean): OverviewQuery[] {
  const { family, instances, source, campaign, range } = scope
  const ids = instances.kind === 'all' ? [null] : instances.list.map(({ id }) => id)
  return ids.map((instance) =>
    normalise({ kind: 'overview', family, range, source, campaign, instance, chart }),
  )
}

/** Poll interval for newer figures, in milliseconds. */
const pollMs = 250
/** Maximum number of polls: one minute. */
const maxPolls = 240

/** Reads an answer. `force` also starts a refresh from the service. */
type Read<A> = (force: boolean) => Promise<A>

/** Queries of one part of a case, and their answers: all answers or none. */
export class GatheredPart<A extends { readonly provenance: Provenance }> {
  readonly #reads: readonly Read<A>[]
  readonly #range: DayRange
  answers: readonly A[] = []
  failure: Failure | null = null

  constructor(range: DayRange, reads: readonly Read<A>[]) {
    this.#range = range
    this.#reads = reads
  }

  /** @param force whether newer figures are requested from the service */
  async read(force: boolean): Promise<void> {
    try {
      const answers: A[] = []
      for (const read of this.#reads) answers.push(await read(force))
      this.answers = answers
    } catch (error) {
      this.failure = failureOf(error)
    }
  }

  get isThere(): boolean {
    return this.answers.length > 0
  }

  get isRefreshing(): boolean {
    return this.#provenances.some(({ refreshing }) => refreshing)
  }

  isOlderThan(began: number): boolean {
    return this.#provenances.some(({ fetchedAt }) => fetchedAt < began)
  }

  /** Failure of the refresh; null if there was none. */
  get unrenewed(): Failure | null {
    return this.#provenances.find(({ failure }) => failure !== null)?.failure ?? null
  }

  get missing(): ReadonlySet<Day> {
    return new Set(this.#provenances.flatMap(({ missing }) => missing))
  }

  get aged(): readonly AgedFigures[] {
    return this.#provenances.map((provenance) => ({ range: this.#range, provenance }))
  }

  /** Reads answers again that are being refreshed. */
  readonly poll = () => this.#again(({ refreshing }) => refreshing)

  /** Reads answers again that are older than a gathering. */
  readonly reread = (began: number) => this.#again(({ fetchedAt }) => fetchedAt < began)

  get #provenances(): readonly Provenance[] {
    return this.answers.map(({ provenance }) => provenance)
  }

  async #again(isMeant: (provenance: Provenance) => boolean): Promise<void> {
    this.answers = await Promise.all(
      this.answers.map(async (answer, place) => {
        if (!isMeant(answer.provenance)) return answer
        // If this fails, the earlier figures remain.
        return (await this.#reads[place]?.(false).catch(() => null)) ?? answer
      }),
    )
  }
}

export type AnyGatheredPart = Omit<GatheredPart<OverviewReport>, 'answers'>

/** Sources of a case's figures. */
export type CaseSources = {
  readonly account: AccountId
  readonly reports: Reports
  readonly clock: Clock
  /** Aborts the wait. */
  readonly signal: AbortSignal
  /** Time of the last gathering of the case; null if unknown. */
  readonly gathered: GatheringTime | null
}

/** Start and end of a gathering, in ms since 1970. */
export type GatheringTime = Readonly<NonNullable<CaseFindings['gathered']>>

/**
 * Reads the answers of a case in one gathering. Total, days, instances and all other traffic are added and subtracted, so their figures
 * must be of one time.
 */
export class Gathering {
  readonly #sources: CaseSources
  readonly #began: number
  readonly #zone: string
  #hasFetched = false

  constructor(sources: CaseSources, zone: string) {
    this.#sources = sources
    this.#began = sources.clock.now()
    this.#zone = zone
  }

  /** Time of this gathering, or of the last one if this gathering did not fetch everything. */
  get time(): GatheringTime | null {
    const { clock, gathered } = this.#sources
    return this.#hasFetched ? { began: this.#began, ended: clock.now() } : gathered
  }

  /** One query per instance of a scope, or one for all. */
  overviews(scope: CaseScope): GatheredPart<OverviewReport> {
    const { account, reports } = this.#sources
    return new GatheredPart(
      scope.range,
      queriesOf(scope, false).map((query) => async (force) => {
        const answer = await reports.ask({ account, query, force })
        if (answer.kind !== 'overview') throw new TypeError('An overview was asked for')
        return answer
      }),
    )
  }

  trends(scope: CaseScope): GatheredPart<TrendAnswer> {
    const { account, reports } = this.#sources
    const queries = queriesOf(scope, true)
    return new GatheredPart(
      scope.range,
      queries.map((query) => (force) => reports.trend({ account, query, force })),
    )
  }

  table(scope: CaseScope): GatheredPart<TableReport> {
    return new GatheredPart(scope.range, [(force) => tableOf(this.#sources, scope, force)])
  }

  /** Reads stored figures, and waits until no part is being refreshed. */
  async read(parts: readonly AnyGatheredPart[]): Promise<void> {
    for (const part of parts) await part.read(false)
    await this.#wait(parts)
  }

  /**
   * Fetches parts together, even if they are stored: settled figures of different times may have been restated in between. A service that
   * is known to be offline gets no request.
   */
  async readAnew(parts: readonly AnyGatheredPart[]): Promise<void> {
    const { account, reports } = this.#sources
    if (!isReachable(reports.connection(account))) return await this.read(parts)
    for (const part of parts) await part.read(true)
    await this.#wait(parts)
    const older = parts.filter((part) => part.isOlderThan(this.#began))
    if (older.length > 0) {
      // Newer figures are provisional, and older ones are returned, until the data scope is confirmed.
      await reports.confirm(account).catch(() => null)
      await Promise.all(older.map((part) => part.reread(this.#began)))
      await this.#wait(older)
    }
    this.#hasFetched = parts.every((part) => part.isThere && !part.isOlderThan(this.#began))
  }

  common(...parts: readonly AnyGatheredPart[]): CommonDays {
    const { gathered } = this.#sources
    const isOfThis = gatheredSince(this.#began)
    // If the service is offline now, figures of the last gathering are still of one time.
    const isOfLast: typeof isOfThis = (oldest, newest) =>
      gathered !== null && newest <= gathered.ended && gatheredSince(gathered.began)(oldest, newest)
    return commonDays(
      parts.flatMap(({ aged }) => aged),
      {
        isOneGathering: (oldest, newest) => isOfThis(oldest, newest) || isOfLast(oldest, newest),
        zone: this.#zone,
      },
    )
  }

  async #wait(parts: readonly AnyGatheredPart[]): Promise<void> {
    const { clock, signal } = this.#sources
    for (let polls = 0; polls < maxPolls; polls += 1) {
      const refreshing = parts.filter((part) => part.isRefreshing)
      if (refreshing.length === 0) return
      await clock.wait(pollMs, signal).catch(() => undefined)
      throwIfCancelled(signal)
      await Promise.all(refreshing.map((part) => part.poll()))
    }
  }
}

/**
 * Reads the table of all instances with traffic of a source and campaign.
 * @throws failures of the request
 */
export async function tableOf(
  { account, reports }: Pick<CaseSources, 'account' | 'reports'>,
  { family, source, campaign, range }: CaseScope,
  force: boolean,
): Promise<TableReport> {
  const query: TableQuery = {
    ...plainTable,
    ...{ family, range, source, campaign, dimension: 'sessions', limit: limits.rowsPerPage },
  }
  const answer = await reports.ask({ account, query, force })
  if (answer.kind !== 'table') throw new TypeError('A table was asked for')
  return answer
}
