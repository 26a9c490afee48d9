import type { History } from '#main/reports/history/history.ts'
import type { ServiceClient } from '#main/api/client.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { callFor } from '#main/reports/requests/report-calls.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { subjectOf } from '#shared/reports/query.ts'
import { hasRates, withRates, withoutRates } from '#shared/reports/rows.ts'
import type { OverviewAnswer, Table, TableAnswer } from '#shared/api/answers.ts'
import { dayToWire } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'

export const dataScope = 'scope-1' as DataScopeId

/** Asks the service a query as it stands: filters whose parents are not set are sent along. */
export async function askService(client: ServiceClient, query: TableQuery): Promise<TableAnswer>
export async function askService(client: ServiceClient, query: OverviewQuery): Promise<OverviewAnswer>
export async function askService(
  client: ServiceClient,
  query: ReportQuery,
): Promise<TableAnswer | OverviewAnswer> {
  const call = callFor(query)
  const filters = query.kind === 'table' ? query.filters : {}
  return (await client.call(call.path, { ...call.arguments, ...filters })).answer as TableAnswer
}

/** Half of the last digit of a service's rates, in percent. */
const rounding = 0.005 + 1e-9

/** A service's answer with its rates unrounded; what it sent is checked to be those, rounded. */
export function unrounded(answer: TableAnswer, { family, dimension }: TableQuery): TableAnswer {
  if (!hasRates(answer.table)) return answer
  const table = withRates(withoutRates(answer).table, family, dimension)
  const cellsOf = ({ all, rows }: Table) => [...(all ? [all] : []), ...rows].flatMap(({ cells }) => cells)
  const exact = cellsOf(table)
  for (const [place, sent] of cellsOf(answer.table).entries()) {
    const own = exact[place]
    const isNear = sent === own || Math.abs(Number(sent) - Number(own)) <= rounding
    if (!isNear) throw new Error(`${String(sent)} is not ${String(own)}`)
  }
  return { ...answer, table }
}

/** Whole tables fetched from a service and kept in a history, each once. */
export class StoredDays {
  readonly #client: ServiceClient
  readonly #history: History
  readonly #stored = new Map<string, Promise<void>>()

  constructor(client: ServiceClient, history: History) {
    this.#client = client
    this.#history = history
  }

  /** How many tables were fetched. */
  get fetched(): number {
    return this.#stored.size
  }

  /** The tables of a query over these runs of days, as the catalogue has them now. */
  async tablesOf(query: ReportQuery, ranges: readonly DayRange[]): Promise<StoredTable[]> {
    await Promise.all(ranges.map((range) => this.#keep({ ...query, range })))
    const stored = await this.#history.list({ dataScope, subject: subjectOf(query) })
    return ranges.map(({ start, end }) => {
      const found = stored.find(({ range }) => range.start === start && range.end === end)
      if (!found) throw new Error(`Not kept: ${subjectOf(query)} ${start}`)
      return found
    })
  }

  #keep(query: ReportQuery): Promise<void> {
    const { start, end } = query.range
    const key = `${dayToWire(start)} ${dayToWire(end)} ${subjectOf(query)}`
    const stored = this.#stored.get(key) ?? this.#fetch(query)
    this.#stored.set(key, stored)
    return stored
  }

  async #fetch(query: ReportQuery): Promise<void> {
    const fetched = query.kind === 'table' ? await this.#rows(query) : await this.#total(query)
    const place = { dataScope, subject: subjectOf(query), range: query.range, term: 0 }
    await this.#history.save({ ...place, ...fetched, fetchedAt: 1_000 as Instant, doubt: null })
  }

  async #total(query: OverviewQuery) {
    const { total } = await askService(this.#client, { ...query, chart: false })
    return { headers: [], all: null, total, rows: null }
  }

  async #rows(query: TableQuery) {
    const plain = {
      chart: false,
      rates: false,
      search: null,
      startsWith: false,
      sort: [],
      limit: 300,
    } as const
    const answers: TableAnswer[] = []
    for (let page = 1; page <= (answers[0]?.query.pages ?? 1); page += 1)
      answers.push(await askService(this.#client, { ...query, ...plain, page }))
    const [first] = answers
    if (!first) throw new Error('No page')
    const { headers, all } = first.table
    return { headers, all, total: first.total, rows: answers.map(({ table }) => table.rows) }
  }
}
