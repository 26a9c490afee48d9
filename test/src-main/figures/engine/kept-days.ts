import { packHead } from '../../../../src-main/figures/engine/packed-head.ts'
import { packRows } from '../../../../src-main/figures/engine/packed-rows.ts'
import type { ServiceClient } from '../../../../src-main/service/client.ts'
import type { Store } from '../../../../src-main/store/open-store.ts'
import type { BlockId } from '../../../../src-main/figures/cache/tables-repository.ts'
import { callFor } from '../../../../src-shared/reports/call.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '../../../../src-shared/reports/query.ts'
import { subjectOf } from '../../../../src-shared/reports/subject.ts'
import type { OverviewAnswer, TableAnswer } from '../../../../src-shared/service/answers.ts'
import { dayToWire } from '../../../../src-shared/values/day.ts'
import type { DayRange } from '../../../../src-shared/values/day.ts'
import type { Instant } from '../../../../src-shared/values/ids.ts'
import { firstOwner } from '../../store/helpers.ts'

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

/** Whole tables fetched from a service and kept in a store, each once. */
export class KeptDays {
  readonly #client: ServiceClient
  readonly #store: Store
  readonly #blocks = new Map<string, Promise<BlockId>>()

  constructor(client: ServiceClient, store: Store) {
    this.#client = client
    this.#store = store
  }

  /** How many tables were fetched. */
  get fetched(): number {
    return this.#blocks.size
  }

  /** The blocks of a query over these runs of days. */
  blocksOf(query: ReportQuery, ranges: readonly DayRange[]): Promise<BlockId[]> {
    return Promise.all(ranges.map((range) => this.#blockOf({ ...query, range })))
  }

  #blockOf(query: ReportQuery): Promise<BlockId> {
    const { start, end } = query.range
    const key = `${dayToWire(start)} ${dayToWire(end)} ${subjectOf(query)}`
    const block = this.#blocks.get(key) ?? this.#fetch(query)
    this.#blocks.set(key, block)
    return block
  }

  async #fetch(query: ReportQuery): Promise<BlockId> {
    const { head, rows, pages } = query.kind === 'table' ? await this.#pages(query) : await this.#total(query)
    const id = await this.#store.run('tables/keep', {
      owner: firstOwner,
      subject: subjectOf(query),
      range: query.range,
      fetchedAt: 1_000 as Instant,
      whole: true,
      head,
      rows,
      pages,
    })
    if (id === null) throw new Error(`Not kept: ${subjectOf(query)}`)
    return id
  }

  async #total(query: OverviewQuery) {
    const { total } = await askService(this.#client, { ...query, chart: false })
    return { head: packHead({ headers: [], all: null, total }), rows: 0, pages: [] }
  }

  async #pages(query: TableQuery) {
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
    return {
      head: packHead({ headers, all, total: first.total }),
      rows: first.query.results,
      pages: answers.map(({ table }) => packRows(table.rows, headers.length - 1)),
    }
  }
}
