import { failureOf } from '../../src-shared/desk/desk-failure.ts'
import type { RatesBy, ReportAnswer } from '../../src-shared/reports/answer.ts'
import { answerKey } from '../../src-shared/reports/asking.ts'
import { hasRates, withoutRates, withRates } from '../../src-shared/reports/rates.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '../../src-shared/reports/query.ts'
import type { OverviewAnswer, TableAnswer } from '../../src-shared/service/answers.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { Holding, Holdings, Kind } from './holdings.ts'
import { doubtOfPage } from './page-doubt.ts'
import { canBeAsked } from './pages.ts'
import type { AskOptions, Pages, ServiceAnswer } from './pages.ts'
import type { TablingParts } from './tabling.ts'
import { nothingInstead } from './ways.ts'
import type { InOne, Ways } from './ways.ts'

export type Asked = { readonly account: AccountId; readonly query: ReportQuery; readonly byHand: boolean }

export type WaysParts = TablingParts & { readonly pages: Pages; readonly holdings: Holdings }

type TableFigures = { readonly answer: TableAnswer; readonly ratesBy: RatesBy }

/** Which tables a query is answered from. A chart is made of days: tables over several tell nothing of it. */
export function kindFor(query: ReportQuery): Kind {
  if (query.kind === 'overview') return query.chart ? 'daily totals' : 'totals'
  return query.chart && !query.whole ? 'whole days' : 'whole'
}

/** The ways to answer a query for a table: the service's page, or whole tables of its subject. */
export async function tableWays(
  parts: WaysParts,
  asked: Asked,
  query: TableQuery,
): Promise<Ways<TableFigures, ReportAnswer>> {
  const { account, byHand } = asked
  const holding = parts.holdings.of(account, query, kindFor(query))
  const kept = await parts.pages.kept(account, query)
  return {
    account,
    key: answerKey(query),
    byHand,
    kept: kept && { ...tableFrom(query, kept), range: query.range, complete: isComplete(query, kept) },
    direct: directly(parts, account, query, holding, (answer) => tableFrom(query, answer)),
    tellsMore: query.rates,
    needs: [{ holding, range: query.range }],
    compute: async ([plan]) => {
      const blocks = plan?.blocks.map(({ id }) => id) ?? []
      const computed = await parts.reckoner.table({ blocks, query })
      if (computed.kind === 'lacking') return computed
      return {
        kind: 'reckoned',
        figures: { answer: computed.figures, ratesBy: query.rates ? 'desk' : 'nobody' },
      }
    },
    instead: () => otherwiseRated(parts, account, query),
    show: ({ answer, ratesBy }, provenance) => ({
      kind: 'table',
      query,
      figures: answer,
      ratesBy,
      provenance,
    }),
  }
}

/** The ways to answer a query for an overview: the service's, or the sum of what is kept of its days. */
export async function overviewWays(
  parts: WaysParts,
  asked: Asked,
  query: OverviewQuery,
): Promise<Ways<OverviewAnswer, ReportAnswer>> {
  const { account, byHand } = asked
  const holding = parts.holdings.of(account, query, kindFor(query))
  const kept = await parts.pages.kept(account, query)
  return {
    account,
    key: answerKey(query),
    byHand,
    kept: kept && { ...overviewFrom(kept), range: query.range, complete: true },
    direct: directly(parts, account, query, holding, overviewFrom),
    tellsMore: false,
    needs: [{ holding, range: query.range }],
    compute: ([plan]) => parts.reckoner.overview({ blocks: plan?.blocks.map(({ id }) => id) ?? [], query }),
    instead: nothingInstead,
    show: (figures, provenance) => ({ kind: 'overview', query, figures, provenance }),
  }
}

/**
 * Asks the service for the very query, where it answers such; null where it does not, and a function that resolves with
 * null where it turns out that the range is too wide for it.
 */
export function directly<T>(
  { pages, windows }: Pick<WaysParts, 'pages' | 'windows'>,
  account: AccountId,
  query: ReportQuery,
  holding: Pick<Holding, 'window' | 'probe'>,
  read: (answer: ServiceAnswer) => T,
): ((options: AskOptions) => Promise<T | null>) | null {
  const { window, probe } = holding
  if (!canBeAsked(query) || windows.isTooWide(account, window, query.range)) return null
  return async (options: AskOptions) => {
    try {
      return read(await pages.ask(account, query, options))
    } catch (error) {
      const failure = failureOf(error)
      const { range } = query
      const refused = { account, window, range, failure, probe: (days: typeof range) => probe(days, options) }
      if (await windows.learn(refused)) return null
      throw error
    }
  }
}

/** Rates of whom? The service's where it gave them; else the desk's, from the counts of the same answer. */
function tableFrom(query: TableQuery, { figures, fetchedAt }: ServiceAnswer): InOne<TableFigures> {
  if (figures.kind === 'overview') throw new TypeError('An overview answers no table')
  const { answer } = figures
  const of = { fetchedAt, doubt: doubtOfPage(query, answer) }
  if (!query.rates) return { ...of, figures: { answer, ratesBy: 'nobody' } }
  if (hasRates(answer.table)) return { ...of, figures: { answer, ratesBy: 'service' } }
  const table = withRates(answer.table, query.family, query.dimension)
  return { ...of, figures: { answer: { ...answer, table }, ratesBy: 'desk' } }
}

function overviewFrom({ figures, fetchedAt }: ServiceAnswer): InOne<OverviewAnswer> {
  if (figures.kind === 'table') throw new TypeError('A table answers no overview')
  return { fetchedAt, figures: figures.answer, doubt: null }
}

/** The same page as it was kept with rates, or without: rates can be left out, and made of counts. */
async function otherwiseRated(
  { pages }: WaysParts,
  account: AccountId,
  query: TableQuery,
): Promise<InOne<TableFigures> | null> {
  const kept = await pages.kept(account, { ...query, rates: !query.rates })
  if (kept === null || kept.figures.kind === 'overview') return null
  const figures = { kind: 'table', answer: withoutRates(kept.figures.answer) } as const
  return tableFrom(query, { ...kept, figures })
}

/** Whether a page is all of its table, so that asking for it again renews all that can be told of it. */
function isComplete({ search, page }: TableQuery, { figures }: ServiceAnswer): boolean {
  if (figures.kind === 'overview' || search !== null || page !== 1) return false
  return figures.answer.table.rows.length >= figures.answer.query.results
}
