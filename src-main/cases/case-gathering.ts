import type { Connection } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { CaseFindings, CaseScope } from '#shared/cases/case.ts'
import { commonDays, gatheredSince } from '#shared/reports/answer.ts'
import type {
  AgedFigures,
  CommonDays,
  Provenance,
  ReportAnswer,
  TrendAnswer,
} from '#shared/reports/answer.ts'
import { normalise, plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Reports } from '#main/reports/figures.ts'

/** What cases ask of figures. */
export type CaseReports = Pick<Reports, 'ask' | 'trend' | 'instances' | 'confirm' | 'connection'>

export type Overview = Extract<ReportAnswer, { kind: 'overview' }>
export type InstanceTable = Extract<ReportAnswer, { kind: 'table' }>

/** A query for each instance of a scope, or one for all of them. Their days, and what each counts, add up. */
function queriesOf(scope: CaseScope, chart: boolean): OverviewQuery[] {
  const { family, instances, source, campaign, range } = scope
  const ids = instances.kind === 'all' ? [null] : instances.list.map(({ id }) => id)
  return ids.map((instance) =>
    normalise({ kind: 'overview', family, range, source, campaign, instance, chart }),
  )
}

/** Pause between two looks whether newer figures have come, in milliseconds. */
const pollMs = 250
/** Looks before a case goes on with the figures that it has: a minute of them. */
const maxPolls = 240

/** With these, a request may reach the service. */
const reachable: ReadonlySet<Connection['kind']> = new Set<Connection['kind']>(['unknown', 'online'])

/** Reads an answer; with `force`, the service is asked for a newer one behind it. */
type Read<A> = (force: boolean) => Promise<A>

/** The queries of one part of a case, and their answers; none as soon as one of them cannot be had. */
export class Part<A extends { readonly provenance: Provenance }> {
  readonly #reads: readonly Read<A>[]
  readonly #range: DayRange
  answers: readonly A[] = []
  failure: Failure | null = null

  constructor(range: DayRange, reads: readonly Read<A>[]) {
    this.#range = range
    this.#reads = reads
  }

  /** @param force whether the service is asked for newer figures where there are some */
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

  /** Why newer figures could not be had; null where they were, or did not have to be. */
  get unrenewed(): Failure | null {
    return this.#provenances.find(({ failure }) => failure !== null)?.failure ?? null
  }

  get missing(): ReadonlySet<Day> {
    return new Set(this.#provenances.flatMap(({ missing }) => missing))
  }

  get aged(): readonly AgedFigures[] {
    return this.#provenances.map((provenance) => ({ range: this.#range, provenance }))
  }

  /** Reads again what is being refreshed. */
  readonly poll = () => this.#again(({ refreshing }) => refreshing)

  /** Reads again what is older than a gathering. */
  readonly reread = (began: number) => this.#again(({ fetchedAt }) => fetchedAt < began)

  get #provenances(): readonly Provenance[] {
    return this.answers.map(({ provenance }) => provenance)
  }

  async #again(isMeant: (provenance: Provenance) => boolean): Promise<void> {
    this.answers = await Promise.all(
      this.answers.map(async (answer, place) => {
        if (!isMeant(answer.provenance)) return answer
        // Figures that cannot be read again are still the figures of their time.
        return (await this.#reads[place]?.(false).catch(() => null)) ?? answer
      }),
    )
  }
}

export type AnyPart = Omit<Part<Overview>, 'answers'>

/** Where the figures of a case come from, and how long it may wait for them. */
export type CaseSources = {
  readonly account: AccountId
  readonly reports: CaseReports
  readonly clock: Pick<Clock, 'now' | 'wait'>
  /** Ends the waiting. */
  readonly signal: AbortSignal
  /** When the figures of the case were last fetched together; null where that is not known. */
  readonly gathered: GatheringTime | null
}

/** The beginning and the end of a gathering, in milliseconds since 1970. */
export type GatheringTime = Readonly<NonNullable<CaseFindings['gathered']>>

/**
 * Reads the answers that a case is made of in one gathering. Total, days, instances and everything else are subtracted from and
 * added to each other, so they have to be of one moment.
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

  /** When this gathering was, or the last one where this one did not have everything fetched. */
  get time(): GatheringTime | null {
    const { clock, gathered } = this.#sources
    return this.#hasFetched ? { began: this.#began, ended: clock.now() } : gathered
  }

  /** A query for each instance of a scope, or one for all of them. */
  overviews(scope: CaseScope): Part<Overview> {
    const { account, reports } = this.#sources
    return new Part(
      scope.range,
      queriesOf(scope, false).map((query) => async (force) => {
        const answer = await reports.ask({ account, query, force })
        if (answer.kind !== 'overview') throw new TypeError('An overview was asked for')
        return answer
      }),
    )
  }

  trends(scope: CaseScope): Part<TrendAnswer> {
    const { account, reports } = this.#sources
    const queries = queriesOf(scope, true)
    return new Part(
      scope.range,
      queries.map((query) => (force) => reports.trend({ account, query, force })),
    )
  }

  table(scope: CaseScope): Part<InstanceTable> {
    return new Part(scope.range, [(force) => tableOf(this.#sources, scope, force)])
  }

  /** Reads parts as they are stored, and waits until none of them is being refreshed. */
  async read(parts: readonly AnyPart[]): Promise<void> {
    for (const part of parts) await part.read(false)
    await this.#wait(parts)
  }

  /**
   * Has parts fetched together, whatever is stored: settled figures that were fetched at different times may have been restated
   * in between without anyone noticing. A service that is known to be away is not asked.
   */
  async readAnew(parts: readonly AnyPart[]): Promise<void> {
    const { account, reports } = this.#sources
    if (!reachable.has(reports.connection(account).kind)) return await this.read(parts)
    for (const part of parts) await part.read(true)
    await this.#wait(parts)
    const older = parts.filter((part) => part.isOlderThan(this.#began))
    if (older.length > 0) {
      // Until it is confirmed of which data scope newer figures are, older ones are shown.
      await reports.confirm(account).catch(() => null)
      await Promise.all(older.map((part) => part.reread(this.#began)))
      await this.#wait(older)
    }
    this.#hasFetched = parts.every((part) => part.isThere && !part.isOlderThan(this.#began))
  }

  common(...parts: readonly AnyPart[]): CommonDays {
    const { gathered } = this.#sources
    const isOfThis = gatheredSince(this.#began)
    // A service that is away since: figures that were gathered together before are still of one moment.
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

  async #wait(parts: readonly AnyPart[]): Promise<void> {
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
 * The table of all instances with traffic of a source and campaign.
 * @throws what asking throws
 */
export async function tableOf(
  { account, reports }: Pick<CaseSources, 'account' | 'reports'>,
  { family, source, campaign, range }: CaseScope,
  force: boolean,
): Promise<InstanceTable> {
  const query: TableQuery = {
    ...plainTable,
    ...{ family, range, source, campaign, dimension: 'sessions', limit: limits.rowsPerPage },
  }
  const answer = await reports.ask({ account, query, force })
  if (answer.kind !== 'table') throw new TypeError('A table was asked for')
  return answer
}
