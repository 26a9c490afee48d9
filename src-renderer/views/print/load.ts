import type { Account } from '#shared/accounts/account.ts'
import { instanceText } from '#shared/api/instance-names.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { Doubt, ReportAnswer, TableReport, OverviewReport } from '#shared/reports/answer.ts'
import { canBeDrawn, periodsOf } from '#shared/reports/change.ts'
import { dayAt, isSameRange, overlap } from '#shared/values/day.ts'
import type { Periods, RowsBefore } from '#shared/reports/change.ts'
import { completed } from '#shared/reports/daily-figures.ts'
import { comparisonOf, isWholeIn } from '#shared/reports/overview-figures.ts'
import { areWhole, firstDoubt, withDoubt } from '#shared/reports/answer.ts'
import type { ReportQuery, TableQuery, RuleName } from '#shared/reports/query.ts'
import { labelKey, basesOf, emptyRates, rateBase } from '#shared/reports/rows.ts'
import { ruleOf, answerKey, nameOf, normalise, plainTable, trendKey } from '#shared/reports/query.ts'
import { families } from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import type { Outcome } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { TableRow, Totals } from '#shared/api/answers.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { beforeAt, overviewQueryAt, plainReport, readAddress, tableQueryAt } from '#shared/views/address.ts'
import { beginWeeksOn, rangeOf } from '#shared/views/period.ts'
import type { PrintAddress } from '#shared/exports/paper.ts'
import { usualChart } from '#shared/views/view-address.ts'
import type { OverviewAddress, ReportAddress } from '#shared/views/view-address.ts'
import { ruleMix } from '#renderer/components/chart/rule-mix.ts'
import { chosenMeasures, offeredMeasures, watchedCounts } from '#renderer/components/chart/series.ts'
import { explainQueryOf } from '#renderer/stores/explain.svelte.ts'
import type { ChangedFigure } from '#renderer/stores/explain.svelte.ts'
import { columnsOf, ratesLeftOut, usualLayout } from '#renderer/components/table/columns.ts'
import { findingEvents, restatedEvents } from '#shared/watch/day-events.ts'
import type { DayEvent } from '#shared/watch/day-events.ts'
import { isShownIn, markedNotes } from '#shared/watch/notes.ts'
import type { MarkedNote } from '#shared/watch/notes.ts'
import { findingWithRuleName } from '#shared/watch/rule-mix.ts'
import { CallFailed, answerOf } from '#renderer/queries/answers.ts'
import { rowsBefore } from '#renderer/stores/known-rows.ts'
import { ratesWords } from '#shared/texts/reports.ts'
import { figuresOf } from '../overview/figures.ts'
import type { OverviewFigure } from '../overview/figures.ts'
import { changedTotal, watchedFigure } from '../reports/changed-figure.ts'
import { chipsOf } from '../reports/chips.ts'
import type {
  PrintedExplanation,
  PrintedRows,
  Fact,
  Printed,
  PrintedChart,
  PrintedSection,
  PrintedTable,
} from './printed.ts'
import { FEW_MORE, MAX_ROWS, TOP_ROWS } from './printed.ts'

const invalid = (message: string) => new CallFailed({ kind: 'invalid', message })

const never = new AbortController().signal

/** Maximum number of dimensions that explain a change. */
const MAX_EXPLAINED = 3

/** Maximum number of loads while figures change. After the last, the pages state that the figures changed. */
const maxTries = 3

/**
 * Loads the contents of an account's printed view. A missing comparison is accepted; missing figures are a failure.
 * Table, chart and comparison are separate requests. If a refresh comes between them, all are requested again. A whole
 * table comes from one stored table; without one of a single moment, nothing is printed.
 * @param address with `whole`, all rows of a table instead of the first
 * @param signal cancels the requests that only the pages need; the failure is then `cancelled`
 */
export async function loadPrinted(
  bridge: DeskBridge,
  { account, view, whole = false }: Pick<PrintAddress, 'account' | 'view'> & { readonly whole?: boolean },
  now: number,
  signal: AbortSignal = never,
): Promise<Outcome<Printed>> {
  try {
    const state = await bridge.call('desk/state')
    if (state.ok) beginWeeksOn(state.value.weeksBeginOn)
    const whose = state.ok ? state.value.accounts.find(({ id }) => id === account) : undefined
    if (!whose) throw invalid('This account is no longer there.')
    const address = readAddress(view)
    if (address.kind !== 'reports' && address.kind !== 'overview') throw invalid('This view has no figures.')
    const today = dayAt(now, whose.dayZone)
    const settings = await bridge.call('settings/read')
    const named = settings.ok ? settings.value.ruleNames : []
    for (let tries = 1; ; tries += 1) {
      const loader = new Loader(bridge, whose, { today, ruleNames: named, whole, signal })
      const printed = await loader.load(address)
      const isSteady = await loader.isSteady()
      if (isSteady || (tries === maxTries && !loader.isMixed))
        return { ok: true, value: { ...printed, isSteady } }
      if (tries === maxTries) throw invalid('The figures keep changing. Save the PDF again in a minute.')
    }
  } catch (error) {
    if (error instanceof CallFailed) return { ok: false, failure: error.failure }
    throw error
  }
}

/** Comparison of a section, and the answer for the earlier period. */
type ComparedSection = Pick<PrintedSection, 'comparison' | 'compared'> & {
  readonly then: ReportAnswer | null
}

/** Chart query of the earlier period. Null if the chart cannot draw that period. */
const drawnBefore = (periods: Periods | null, query: TableQuery): TableQuery | null =>
  canBeDrawn(periods) ? { ...query, range: periods.before } : null

/** Identifies the fetches that an answer comes from. Answers of the same fetches have equal stamps. */
const stampOf = ({ provenance: { fetchedAt, ages, missing } }: ReportAnswer): string =>
  JSON.stringify([fetchedAt, ages, missing])

type Surroundings = {
  readonly today: Day
  readonly ruleNames: readonly RuleName[]
  /** Whether to load all rows of a table. */
  readonly whole: boolean
  readonly signal: AbortSignal
}

class Loader {
  readonly #bridge: DeskBridge
  /** Answered queries, which `isSteady` repeats at the end. */
  readonly #answers: { readonly query: ReportQuery; readonly stamp: string }[] = []
  readonly #account: Account
  readonly #today: Day
  readonly #ruleNames: readonly RuleName[]
  readonly #whole: boolean
  readonly #signal: AbortSignal
  /** Whether table and daily figures are requested for the pages only, and not by the view as well. */
  #own = { table: false, trend: false }
  readonly #wholeStamps = new Set<string>()

  constructor(bridge: DeskBridge, account: Account, { today, ruleNames, whole, signal }: Surroundings) {
    this.#bridge = bridge
    this.#account = account
    this.#today = today
    this.#ruleNames = ruleNames
    this.#whole = whole
    this.#signal = signal
  }

  /** Whether pages of the whole table are of different fetches. */
  get isMixed(): boolean {
    return this.#wholeStamps.size > 1
  }

  /** Whether every answer is unchanged at the end, so that all figures are of one moment. */
  async isSteady(): Promise<boolean> {
    if (this.isMixed) return false
    for (const { query, stamp } of this.#answers) {
      const again = await this.#request(query)
      if (!again.ok || stampOf(again.value) !== stamp) return false
    }
    return true
  }

  async load(address: OverviewAddress | ReportAddress): Promise<Omit<Printed, 'isSteady'>> {
    const range = rangeOf(address.period, this.#today)
    const before = beforeAt(address, this.#today)
    const periods = periodsOf(range, before, this.#today)
    const compared = periods?.kind === 'periods' ? periods : null
    const sections =
      address.kind === 'reports'
        ? [await this.#tableSection(address, before, compared)]
        : await Promise.all(
            (['script', 'direct'] as const).map((family) => this.#overviewSection(address, family, compared)),
          )
    return {
      account: this.#account.name,
      title: address.kind === 'reports' ? (sections[0]?.name ?? '') : 'Overview',
      range,
      zone: this.#account.dayZone,
      before: compared && compared.before,
      periods,
      facts: await this.#facts(address),
      sections,
      notes: await this.#notes(address, range),
    }
  }

  async #notes(address: OverviewAddress | ReportAddress, range: DayRange): Promise<readonly MarkedNote[]> {
    const notes = await answerOf(this.#bridge.call('notes/list', { account: this.#account.id }))
    return markedNotes(
      notes.filter((note) => isShownIn(note, address)),
      range,
    )
  }

  /** Findings and restated days of a section. Optional: empty if they cannot be read. */
  async #events(address: OverviewAddress | ReportAddress, query: ReportQuery): Promise<readonly DayEvent[]> {
    const { id: account } = this.#account
    const [found, restated] = await this.#during(null, () =>
      Promise.all([
        this.#bridge.call('findings/since', { account, day: query.range.start }),
        this.#bridge.call('reports/restatements', { account, query }),
      ]),
    )
    const own = (found.ok ? found.value : [])
      .filter((finding) => finding.account === account)
      .map((finding) => findingWithRuleName(finding, this.#ruleNames))
    return [
      ...findingEvents(own, { address, family: query.family, today: this.#today }),
      ...(restated.ok ? restatedEvents(restated.value) : []),
    ].filter(({ range }) => overlap(range, query.range))
  }

  async #tableSection(
    address: ReportAddress,
    before: DayRange | null,
    periods: Periods | null,
  ): Promise<PrintedSection> {
    const query = tableQueryAt(address, this.#today)
    const { family } = query
    // Equals `query` if the view shows page 1: then print and screen use the same answer.
    const first = normalise({
      ...query,
      page: 1,
      ...(this.#whole && { whole: true, limit: limits.rowsPerPage }),
    })
    this.#own = { table: answerKey(first) !== answerKey(query), trend: address.chart === null }
    const answer = await this.#page(this.#whole ? null : query, first)
    const { table, total, query: paging } = answer.figures
    const kind = address.chart?.kind ?? usualChart.kind
    const chart: PrintedChart =
      kind === 'top'
        ? { kind: 'rows' }
        : await this.#days(daysOf(query), drawnBefore(periods, daysOf(query)), kind === 'rules')
    const headers =
      chart.kind === 'days' && kind !== 'rules'
        ? completed(family, chart.chart).series.map(({ header }) => header)
        : table.headers.slice(1)
    const chosen = address.chart?.measures ?? []
    const layouts = await this.#bridge.call('layouts/read')
    const stored = layouts.ok ? layouts.value[`${family}/${query.dimension}`] : undefined
    const leftOut = new Set([...emptyRates(table, answer.ratesBy), ...ratesLeftOut(table.headers, address)])
    const offered = table.headers.filter((header) => !leftOut.has(header))
    const baseOf = basesOf(this.#account, query)
    const rows = table.rows.slice(0, TOP_ROWS + FEW_MORE)
    const earlierDays = periods && before
    const compared = earlierDays && (await this.#rowsBefore(answer, rows, earlierDays))
    const figures = await this.#compared(answer, periods)
    const ruleAt = (header: string) => ruleOf(this.#ruleNames, this.#account.id, query, header)
    return {
      family,
      name: nameOf(query),
      provenance: answer.provenance,
      figures: knownFigures(figuresOf(family, total), total),
      comparison: figures.comparison,
      compared: figures.compared,
      chart,
      kind,
      base: baseOf(watchedCounts[family]) ?? rateBase(family, query.dimension),
      measures:
        kind === 'rules' ? null : chosenMeasures(kind, family, offeredMeasures(headers, chosen), chosen),
      events: await this.#events(address, query),
      table: {
        name: nameOf(query),
        query,
        table: { ...table, rows },
        sums: answer.matching ?? null,
        columns: columnsOf(table.headers, stored ?? usualLayout(offered, address), compared && baseOf, {
          leftOut,
          shownAs: (header) => ruleAt(header)?.header ?? header,
        }),
        rules: table.headers.slice(1).flatMap((header) => ruleAt(header) ?? []),
        results: paging.results,
        rates: ratesWords(answer.ratesBy, table.headers, baseOf),
        before: compared,
        whole: this.#whole ? await this.#everyRow(answer, earlierDays) : [],
      },
      changes: await this.#changes(periods && changedTotal(address, baseOf), address.dimension),
    }
  }

  /** Loads the rows of a whole table in its order, up to `MAX_ROWS`. @param first its first page */
  async #everyRow(first: TableReport, before: DayRange | null): Promise<PrintedTable['whole']> {
    const pieces: PrintedRows[] = []
    const { limit } = first.query
    for (let page = 1; (page - 1) * limit < Math.min(first.figures.query.results, MAX_ROWS); page += 1) {
      const piece = page === 1 ? first : await this.#page(null, normalise({ ...first.query, page }))
      this.#wholeStamps.add(stampOf(piece))
      const { rows } = piece.figures.table
      pieces.push({ rows, before: before && (await this.#rowsBefore(piece, rows, before)) })
    }
    return pieces
  }

  /**
   * Explains the change of a figure from stored tables, without fetching. Omits explanations that disagree with the figure.
   * @param own dimension of the view, which comes first
   */
  async #changes(
    figure: ChangedFigure | null,
    own: Dimension | null,
  ): Promise<readonly PrintedExplanation[]> {
    const explainQuery = figure?.row === null ? explainQueryOf(figure, this.#today) : null
    if (!explainQuery) return []
    const params = { account: this.#account.id, ...explainQuery, load: [] }
    const outcome = await this.#during(null, () => this.#bridge.call('reports/explain', params))
    if (!outcome.ok) return []
    const agreeing = outcome.value.dimensions.flatMap((explained) =>
      explained.kind === 'explained' &&
      explained.agrees === true &&
      explained.doubt === null &&
      explained.explanation.named.length > 0
        ? [explained]
        : [],
    )
    const few = agreeing.filter(({ explanation }) => explanation.shape === 'few')
    return (few.length > 0 ? few : agreeing.slice(0, 1))
      .toSorted((one, other) => Number(other.dimension === own) - Number(one.dimension === own))
      .slice(0, MAX_EXPLAINED)
  }

  /** Loads the rows' figures of the earlier period. Null if the request fails. */
  async #rowsBefore(
    { query, provenance }: TableReport,
    rows: readonly TableRow[],
    before: DayRange,
  ): Promise<RowsBefore | null> {
    const { id: account, dayZone } = this.#account
    const labels = rows.map(({ label }) => labelKey(label))
    const isWhole = areWhole(provenance, query.range, dayZone)
    const params = { account, query, before, labels, isWhole, force: false }
    const found = await this.#during(null, () => this.#bridge.call('reports/before', params))
    return found.ok ? rowsBefore(labels, found.value) : null
  }

  /** Loads a page of the rows. @param query the page on screen, to fall back to, or null */
  async #page(query: TableQuery | null, first: TableQuery): Promise<TableReport> {
    const outcome = await this.#call(first)
    const found = outcome.ok || !query ? outcome : await this.#call(query)
    if (!found.ok) throw new CallFailed(outcome.ok ? found.failure : outcome.failure)
    if (found.value.kind !== 'table') throw invalid('This view has no table.')
    return found.value
  }

  async #overviewSection(
    address: OverviewAddress,
    family: Family,
    periods: Periods | null,
  ): Promise<PrintedSection> {
    const query = overviewQueryAt(address, family, this.#today)
    const answer = await this.#call(query)
    if (!answer.ok) throw new CallFailed(answer.failure)
    if (answer.value.kind !== 'overview') throw invalid('This view has no overview.')
    const { then, ...compared } = await this.#compared(answer.value, periods)
    return {
      family,
      name: families[family].words,
      provenance: answer.value.provenance,
      figures: figuresOf(family, answer.value.figures.total),
      ...compared,
      chart: await this.#overviewChart(
        answer.value,
        then?.kind === 'overview' && canBeDrawn(periods) ? then : null,
      ),
      kind: address.chart ?? usualChart.kind,
      base: 'Requests',
      measures: null,
      events: await this.#events(address, query),
      table: null,
      changes: await this.#changes(periods && watchedFigure(address, family), null),
    }
  }

  /** Compares with the earlier period. If days are missing, compares only the days available in both periods. */
  async #compared(shown: ReportAnswer, periods: Periods | null): Promise<ComparedSection> {
    if (!periods) return { comparison: null, compared: null, then: null }
    const { query } = shown
    const then = await this.#ask({ ...query, range: periods.before })
    const isShown = isSameRange(periods.now, query.range)
    const now = isShown ? shown : await this.#ask({ ...query, range: periods.now })
    if (!then || !now) return { comparison: null, compared: null, then: null }
    const { id: account, dayZone } = this.#account
    const sides = { shown, now, before: then }
    /** The earlier answer carries the doubts of every answer that is compared but not shown. */
    const saying = (doubt: Doubt | null) => {
      const own = isShown ? null : now.provenance.doubt
      return { ...then, provenance: withDoubt(then.provenance, firstDoubt([own, doubt])) }
    }
    if (isWholeIn(dayZone, now, then)) {
      const comparison = comparisonOf(query.family, sides, dayZone, null) ?? null
      return { comparison, compared: null, then: saying(null) }
    }
    const found = await this.#bridge.call('reports/paired', {
      ...{ account, query: now.query, before: periods.before },
    })
    const paired = found.ok ? found.value : null
    const comparison = comparisonOf(query.family, sides, dayZone, paired) ?? null
    return { comparison, compared: paired?.compared ?? null, then: saying(paired?.doubt ?? null) }
  }

  async #overviewChart(
    { figures, query }: OverviewReport,
    then: OverviewReport | null,
  ): Promise<PrintedChart> {
    if (figures.chart) return { kind: 'days', chart: figures.chart, before: then?.figures.chart ?? null }
    return await this.#days(query, then && then.query)
  }

  /** @param isMix whether the days of a table are its broken rule sets */
  async #days(query: ReportQuery, before: ReportQuery | null, isMix = false): Promise<PrintedChart> {
    const { id: account } = this.#account
    const trend = (days: ReportQuery) =>
      this.#during(this.#own.trend ? trendKey(days) : null, () =>
        isMix && days.kind === 'table'
          ? this.#bridge.call('reports/rule-mix', { account, query: days, load: false })
          : this.#bridge.call('reports/trend', { account, query: days, force: false }),
      )
    const found = await trend(query)
    if (!found.ok) return { kind: 'missing', words: found.failure.message }
    const then = before && (await trend(before))
    const days = { chart: found.value.chart, before: then?.ok ? then.value.chart : null }
    const names = this.#ruleNames.filter((ruleName) => ruleName.account === account)
    return { kind: 'days', ...(isMix ? ruleMix(days.chart, days.before, names) : days) }
  }

  async #call(query: ReportQuery) {
    const outcome = await this.#request(query)
    if (outcome.ok) this.#answers.push({ query, stamp: stampOf(outcome.value) })
    return outcome
  }

  #request(query: ReportQuery) {
    return this.#during(this.#own.table ? answerKey(query) : null, () =>
      this.#bridge.call('reports/ask', { account: this.#account.id, query, force: false }),
    )
  }

  /**
   * Runs a request until it completes or the signal aborts.
   * @param key cancels the request on abort; null if the view needs the same request
   * @throws CallFailed `cancelled` if the signal has already aborted
   */
  async #during<T>(key: string | null, ask: () => Promise<T>): Promise<T> {
    if (this.#signal.aborted) throw new CallFailed({ kind: 'cancelled', message: 'Cancelled.' })
    if (key === null) return await ask()
    const giveUp = () => void this.#bridge.call('reports/cancel', { account: this.#account.id, key })
    this.#signal.addEventListener('abort', giveUp, { once: true })
    try {
      return await ask()
    } finally {
      this.#signal.removeEventListener('abort', giveUp)
    }
  }

  /** Requests an optional answer. Null if the request fails. */
  async #ask(query: ReportQuery): Promise<ReportAnswer | null> {
    const outcome = await this.#call(query)
    return outcome.ok ? outcome.value : null
  }

  /** Filters of the view in words. An instance is named if its name is known. */
  async #facts(address: OverviewAddress | ReportAddress): Promise<Fact[]> {
    const { instance } = address
    const name = instance === null ? undefined : await this.#instanceName(instance)
    const report =
      address.kind === 'reports'
        ? address
        : { ...plainReport, ...address, kind: 'reports' as const, chart: null }
    return chipsOf(report, () => name).map(({ words, value }) => ({ name: words, value }))
  }

  async #instanceName(instance: InstanceId): Promise<string | undefined> {
    const params = { account: this.#account.id, name: null, page: 1, limit: limits.rowsPerPage }
    const outcome = await this.#bridge.call('lookups/instances', params)
    if (!outcome.ok) return undefined
    const found = outcome.value.answer.instances.find(({ id }) => id === instance)
    return found && instanceText(found)
  }
}

/** Query of a table's daily figures, without search, sort and paging. */
function daysOf(query: TableQuery): TableQuery {
  const { search, startsWith, sort, page, limit, rates, rules, whole } = plainTable
  return normalise({ ...query, search, startsWith, sort, page, limit, rates, rules, whole })
}

/** Omits figures that the table does not have. A figure that the totals list as null remains. */
const knownFigures = (figures: readonly OverviewFigure[], total: Totals): OverviewFigure[] =>
  figures.filter(({ name, value }) => value !== null || name.toLowerCase().replaceAll(/[ -]/g, '') in total)
