import { rm } from 'node:fs/promises'
import type { ComparedFigures, Provenance, TableReport } from '#shared/reports/answer.ts'
import type { SnapshotForm } from '#shared/exports/columns.ts'
import { isSameRange } from '#shared/values/day.ts'
import { answerKey } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { RateBases } from '#shared/reports/rows.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { DayRange } from '#shared/values/day.ts'
import { comparisonOf } from '../coverage/comparison.ts'
import type { Need } from '../coverage/plan.ts'
import type { EngineSnapshot } from '../engine/table-calls.ts'
import { kindFor, ofShown, provenanceOf, rankedBy } from './figures-of-query.ts'
import type { Resolvable } from './figures-of-query.ts'
import type { ResolverContext } from './resolver-context.ts'

/** Request for a whole table in a file. */
export type SnapshotRequest = {
  readonly account: AccountId
  readonly query: TableQuery
  /** The range that rows are compared with; null without comparison. */
  readonly before: DayRange | null
  /** Headers in display order; null for all columns with content. */
  readonly columns: readonly string[] | null
  readonly form: SnapshotForm
  /** Names that several instances share. */
  readonly shared?: readonly string[]
}

/** A file with all rows of a table as of one moment. The caller removes the file. */
export type TableSnapshot = {
  readonly kind: 'file'
  /** Has no rows. */
  readonly report: TableReport
  readonly bases: RateBases | null
  readonly file: Pick<EngineSnapshot, 'path' | 'rows' | 'columns' | 'raw'> & Pick<SnapshotRequest, 'form'>
  readonly compared: SnapshotCompared | null
}

/** Comparison of a snapshot's rows. `sides` is null if no days can be compared. */
export type SnapshotCompared = ComparedFigures & {
  /** Provenance of the compared days. */
  readonly provenance: Provenance
  readonly sides: EngineSnapshot['sides']
}

/** A one-row table computed from stored tables of another query. */
type OneRow = { readonly kind: 'page'; readonly report: TableReport }

export type SnapshotAnswer = TableSnapshot | OneRow

type Written = EngineSnapshot & {
  readonly compared: SnapshotCompared | null
  /** Whether days of the compared range are missing or stale, so that a fetch failure applies to them too. */
  readonly isBeforeDue: boolean
}

export type SnapshotOptions = {
  /** The tables to read, if not the query's own. */
  readonly from?: Need
  readonly standardOnly?: boolean
  /** Called with the path of every file that is written. */
  readonly wrote: (path: string) => void
}

/** Resolves the writing of all rows to a file from whole tables, which are not deleted before the file is complete. */
export function snapshotOfQuery(
  context: ResolverContext,
  { account, query, before, columns, form, shared = [] }: SnapshotRequest,
  { from, standardOnly = false, wrote }: SnapshotOptions,
): Resolvable<Written, TableSnapshot> {
  const { accounts, catalogue, engine, history, learning } = context
  const own = { catalogued: catalogue.subject(account, query, kindFor(query)), range: query.range }
  const here = from ?? { ...own, asSeen: !before && !query.before }
  const ranking = query.before ? comparisonOf(context, here, query.before) : null
  const isRanked = before && query.before && isSameRange(before, query.before)
  const comparison = before && !isRanked ? comparisonOf(context, here, before) : isRanked ? ranking : null
  const needs = [...new Set([...(ranking?.needs ?? []), ...(comparison?.needs ?? []), here])]
  const bases = accounts.account(account).rateBases?.[query.family] ?? null
  return {
    // A page of the service is not a whole table.
    page: null,
    account,
    key: answerKey(query),
    force: false,
    needs,
    shows: query.range,
    separate: comparison ? [comparison.before] : [],
    compute: async (plans, signal) => {
      const planOf = (need: Need) => plans[needs.indexOf(need)]
      const tables = planOf(here)?.tables ?? []
      if (query.rates) void learning.rates(account, query, answerKey(query))
      const [compared, sides] = await Promise.all([
        rankedBy(ranking, planOf),
        comparison?.sides(planOf) ?? null,
      ])
      const shown = sides && sides.compared?.days !== 0 ? sides : null
      const beside = shown && {
        now: shown.isShown ? null : shown.now,
        before: shown.before,
        lengths: shown.lengths,
      }
      const request = { tables, query, bases, compared, beside, columns, standardOnly, form, shared }
      const all = [tables, ...[compared, beside].flatMap((side) => [side?.before ?? [], side?.now ?? []])]
      const written = await history.holding(all.flat(), () => engine.call('snapshot', request, signal))
      if (written.kind === 'lacking') return written
      wrote(written.figures.path)
      const then = comparison ? planOf(comparison.before) : undefined
      const picked = comparison && {
        ...{ periods: comparison.periods, compared: sides?.compared ?? null },
        provenance: await provenanceOf(context, { needs: [comparison.before] }, then ? [then] : [], null),
        sides: written.figures.sides,
      }
      const isBeforeDue = then !== undefined && then.missing.length + then.stale.length > 0
      return { kind: 'computed', figures: { ...written.figures, compared: picked, isBeforeDue } }
    },
    show: (
      { path, rows, columns: seen, raw, table, total, foundTotal, compared, isBeforeDue },
      provenance,
    ) => ({
      kind: 'file',
      bases,
      compared: compared && isBeforeDue ? renewedAs(compared, provenance) : compared,
      file: { path, form, rows, columns: seen, raw },
      report: {
        kind: 'table',
        query,
        figures: { total, table, chart: null, query: { results: rows, pages: 1, echo: {} }, unknown: {} },
        ...(foundTotal && { matching: foundTotal }),
        ratesBy: query.rates ? 'desk' : 'nobody',
        provenance: ofShown(query, provenance),
      },
    }),
  }
}

/** Applies the outcome of the fetch to the compared days, which are fetched by the same query. */
const renewedAs = (
  compared: SnapshotCompared,
  { failure, refreshing }: Pick<Provenance, 'failure' | 'refreshing'>,
): SnapshotCompared => ({ ...compared, provenance: { ...compared.provenance, failure, refreshing } })

/** Removes files that are not part of the answer. Several exist if the answer was computed more than once. */
export async function dropFiles(paths: readonly string[], answer: SnapshotAnswer | null): Promise<void> {
  const stored = answer?.kind === 'file' ? answer.file.path : null
  await Promise.all(paths.filter((path) => path !== stored).map((path) => rm(path, { force: true })))
}
