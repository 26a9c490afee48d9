import { headerOf } from '../../../src-shared/reports/overview-figures.ts'
import { answerKey, plainTable } from '../../../src-shared/reports/query.ts'
import type { TableQuery } from '../../../src-shared/reports/query.ts'
import { labelText, sumOfRows } from '../../../src-shared/reports/rows.ts'
import type { SearchedAll } from '../../../src-shared/reports/rows.ts'
import type { Cell, TableAnswer } from '../../../src-shared/service/answers.ts'
import { headersOf, totalsOf } from '../../../src-shared/service/dimensions.ts'
import { isSettledOn } from '../../../src-shared/reports/settled.ts'
import { addDays, dayAt } from '../../../src-shared/values/day.ts'
import type { AccountId } from '../../../src-shared/values/ids.ts'
import { idOf } from '../../lib/waiting.ts'
import type { FiguresParts } from '../figures-parts.ts'
import type { Pages } from './pages.ts'

/** How a figure lies beside another one of the same name: smaller, equal, larger; null where one is not known. */
type Beside = 'less' | 'equal' | 'more'

function beside(one: Cell | undefined, other: Cell | undefined): Beside | null {
  if (typeof one !== 'number' || typeof other !== 'number') return null
  return one < other ? 'less' : one > other ? 'more' : 'equal'
}

/** The cells of a row by the headers of the specification. */
function countsIn(
  query: TableQuery,
  { table }: TableAnswer,
  cells: readonly Cell[],
): readonly (Cell | undefined)[] {
  return headersOf(query.family, query.dimension)
    .slice(1)
    .map((header) => cells[table.headers.indexOf(header) - 1])
}

/** Whether some figures are parts of others, and not all of them the whole; null where they do not lie so. */
function partIn(parts: readonly (Cell | undefined)[], wholes: readonly (Cell | undefined)[]): boolean | null {
  const found = parts.flatMap((part, place) => beside(part, wholes[place]) ?? [])
  if (found.length === 0 || found.includes('more')) return null
  return found.includes('less')
}

/**
 * What a page under a search tells of the service's row for all: rows that are less than it are not all of it; where they are
 * as much, and the answer's totals are more, it is what was found.
 * @returns null where it tells nothing: not all rows that were found are on it, or they are all that there are
 */
export function searchedAllIn(query: TableQuery, answer: TableAnswer): SearchedAll | null {
  const { all, rows } = answer.table
  if (query.search === null || query.page !== 1 || all === null || rows.length === 0) return null
  if (rows.length !== answer.query.results) return null
  const whole = countsIn(query, answer, all.cells)
  // Texts stay out of sums: those are less, whatever the row for all is.
  const sums = sumOfRows(answer.table).map((sum, place) =>
    rows.some(({ cells }) => typeof cells[place] === 'string') ? null : sum,
  )
  const isPart = partIn(countsIn(query, answer, sums), whole)
  if (isPart !== false) return isPart === null ? null : 'everything'
  const named = totalsOf(query.family, query.dimension)
  const totals = named.map((name) => answer.total[name] ?? null)
  const same = named.map((name) => all.cells[answer.table.headers.indexOf(headerOf(query.family, name)) - 1])
  return partIn(same, totals) ? 'found' : null
}

/** What a search and no search tell together, of one moment and in pages of any size. */
export function searchedAllBeside(
  query: TableQuery,
  searched: TableAnswer,
  plain: TableAnswer,
): SearchedAll | null {
  const [all, whole] = [searched.table.all, plain.table.all]
  if (all === null || whole === null || searched.query.results >= plain.query.results) return null
  const isPart = partIn(countsIn(query, searched, all.cells), countsIn(query, plain, whole.cells))
  if (isPart === null) return null
  return isPart ? 'found' : 'everything'
}

/** After an attempt that told nothing, in milliseconds. */
const quietFor = 5 * 60_000
/** Of so many days ago no figure moves between two requests. */
const longSettled = 4

/** Learns behind a page what an account's row for all is about under a search, where no page has told it. */
export class SearchLearning {
  readonly #parts: FiguresParts
  readonly #pages: Pages
  /** When it was tried last, by account and family. */
  readonly #tried = new Map<string, number>()

  constructor(parts: FiguresParts, pages: Pages) {
    this.#parts = parts
    this.#pages = pages
  }

  /**
   * Asks for the first row of a day that does not change any more, and for the same under a search for that row's name, unless it
   * is known, was tried a moment ago, or cannot be asked now. Where that tells it, `reports/changed` follows under the
   * question's key.
   */
  async behind(account: AccountId, query: TableQuery): Promise<void> {
    const { book, clock, connections, emit } = this.#parts
    const { family, dimension, instance, source, campaign, filters } = query
    const isKnown = () => book.account(account).searchedAll?.[family] !== undefined
    const id = idOf(account, family)
    const ago = clock.now() - (this.#tried.get(id) ?? -Infinity)
    if (isKnown() || connections.obstacle(account) !== null || (ago >= 0 && ago < quietFor)) return
    this.#tried.set(id, clock.now())
    const today = dayAt(clock.now(), book.account(account).dayZone)
    const { start } = query.range
    const day = isSettledOn({ start, end: start }, today) ? start : addDays(today, -longSettled)
    const subject = {
      family,
      dimension,
      instance,
      source,
      campaign,
      filters,
      range: { start: day, end: day },
    }
    try {
      const plain = await this.#first(account, { ...plainTable, ...subject, limit: 1 })
      const [row] = plain.table.rows
      if (!row) return
      const searched: TableQuery = { ...plainTable, ...subject, limit: 1, search: labelText(row.label) }
      const told = searchedAllBeside(query, await this.#first(account, searched), plain)
      if (told !== null && !isKnown()) await book.learn(account, { searchedAll: { [family]: told } })
      if (isKnown()) emit('reports/changed', { account, key: answerKey(query) })
    } catch {
      // The total stands as it was sent until it can be asked.
    }
  }

  async #first(account: AccountId, query: TableQuery): Promise<TableAnswer> {
    const { signal } = new AbortController()
    const { figures } = await this.#pages.ask(account, query, { signal, priority: 'background' })
    if (figures.kind === 'overview') throw new TypeError('An overview answers no table')
    return figures.answer
  }
}
