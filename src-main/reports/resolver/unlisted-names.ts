import { deskFailure, failureOf } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import { withDoubt } from '#shared/reports/answer.ts'
import type { BeforeAnswer, MoversAnswer, PairedAnswer, ReportAnswer } from '#shared/reports/answer.ts'
import type { ExplainAnswer } from '#shared/reports/explain-answer.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { countsNothing } from '#shared/reports/rows.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { SnapshotAnswer } from './snapshot-of-query.ts'
import type { Lookups } from '../lookups/lookups.ts'

type Limited = Pick<ReportQuery, 'instance' | 'source' | 'campaign'>

const isLimited = ({ instance, source, campaign }: Limited): boolean =>
  instance !== null || source !== null || campaign !== null

const nothing = (found: readonly unknown[]): boolean => found.length === 0

/**
 * Marks answers about a name that count zero while the look-ups do not list the name. The name may be gone or missing by
 * mistake, so the figures are shown unchanged, but never as a decrease.
 */
export class UnlistedNames {
  readonly #lookups: Lookups

  constructor(lookups: Lookups) {
    this.#lookups = lookups
  }

  /** Adds the doubt to an answer. */
  async inAnswer<A extends ReportAnswer>(account: AccountId, answer: A): Promise<A> {
    const { query, figures, provenance } = answer
    if (!isLimited(query) || !countsNothing(Object.values(figures.total))) return answer
    if (!(await this.#isUnlisted(account, query, query.range))) return answer
    return { ...answer, provenance: withDoubt(provenance, 'not-listed') }
  }

  /** Adds the doubt to a snapshot, and removes its comparison. */
  async inSnapshot(account: AccountId, answer: SnapshotAnswer): Promise<SnapshotAnswer> {
    const report = await this.inAnswer(account, answer.report)
    if (answer.kind === 'page') return { ...answer, report }
    const { compared } = answer
    const isCompared = compared !== null && report.provenance.doubt !== 'not-listed'
    return { ...answer, report, compared: isCompared ? compared : compared && { ...compared, sides: null } }
  }

  /**
   * Removes compared rows if the name is not listed.
   * @param shown answers the compared query; only called if the sides lack a total
   */
  async inBefore(
    account: AccountId,
    query: ReportQuery,
    answer: BeforeAnswer,
    shown: () => Promise<ReportAnswer>,
  ): Promise<BeforeAnswer> {
    const { sides, periods } = answer
    if (!sides || !isLimited(query) || countsNothing(sides.before.all ?? [])) return answer
    const isUnlisted = sides.now
      ? countsNothing(sides.now.all ?? []) && (await this.#isUnlisted(account, query, periods.now))
      : (await shown()).provenance.doubt === 'not-listed'
    return isUnlisted ? { ...answer, sides: null } : answer
  }

  /** Removes both periods if the name is not listed. */
  async inPaired(account: AccountId, query: ReportQuery, answer: PairedAnswer): Promise<PairedAnswer> {
    const { sides } = answer
    if (!sides || !isLimited(query) || !countsNothing(Object.values(sides.now.total))) return answer
    return (await this.#isUnlisted(account, query, query.range)) ? { ...answer, sides: null } : answer
  }

  /** Removes the rows if all of them fell to zero and the name is not listed. */
  async inMovers(account: AccountId, query: ReportQuery, answer: MoversAnswer): Promise<MoversAnswer> {
    const { up, down, periods, provenance } = answer
    const isFall = nothing(up) && !nothing(down) && down.every(({ now }) => now === 0)
    if (!isFall || !isLimited(query) || !(await this.#isUnlisted(account, query, periods.now))) return answer
    return { ...answer, down: [], provenance: withDoubt(provenance, 'not-listed') }
  }

  /** @throws DeskFailure `invalid` if there is no change to explain */
  async inExplained(account: AccountId, query: ReportQuery, answer: ExplainAnswer): Promise<ExplainAnswer> {
    const now = answer.figure?.sides.now
    if (!now || !isLimited(query) || now.count !== 0 || now.base !== 0) return answer
    if (!(await this.#isUnlisted(account, query, answer.periods.now))) return answer
    throw deskFailure(
      'invalid',
      "The service doesn't list this name for these days and counts nothing. There is no change to explain.",
    )
  }

  /** Whether a look-up does not list a name that the query is limited to. Failing lists (`server-trouble`) do not either. */
  async #isUnlisted(account: AccountId, query: Limited, range: DayRange): Promise<boolean> {
    const { instance, source, campaign } = query
    // Only the first page of a list is read.
    const page = { account, page: 1, limit: limits.rowsPerPage }
    const lists = [
      instance !== null &&
        this.#lookups.instances({ ...page, name: null }).then(({ answer, failure }) => ({
          failure,
          isThere: answer.query.pages > 1 || answer.instances.some(({ id }) => id === instance),
        })),
      source !== null &&
        this.#lookups.sources({ ...page, range, instance, source }).then(({ answer, failure }) => ({
          failure,
          isThere: answer.query.pages > 1 || answer.sources.includes(source),
        })),
      campaign !== null &&
        this.#lookups
          .campaigns({ ...page, range, instance, source, campaign })
          .then(({ answer, failure }) => ({
            failure,
            isThere: answer.query.pages > 1 || answer.campaigns.includes(campaign),
          })),
    ]
    const unread = (error: unknown) => ({ failure: failureOf(error), isThere: true })
    const found = await Promise.all(lists.map((list) => list && list.catch(unread)))
    return found.some((list) => list && (!list.isThere || list.failure?.kind === 'server-trouble'))
  }
}
