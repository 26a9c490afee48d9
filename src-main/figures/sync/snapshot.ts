import { limits } from '../../../src-shared/service/limits.ts'
import type { TableAnswer } from '../../../src-shared/service/answers.ts'
import type { Instant } from '../../../src-shared/values/ids.ts'
import { malformed, ServiceFailure } from '../../service/service-failure.ts'
import { OneTable } from './one-table.ts'
import { packPage, packTotals, packWhole, withoutRates } from '../packing.ts'
import type { PackedTable } from '../packing.ts'
import { someAtATime } from '../some-at-a-time.ts'

/** A page of a table, and when it came. */
export type Page = { readonly answer: TableAnswer; readonly fetchedAt: Instant }

/** How many pages are there, of so many. */
export type PagesDone = { readonly done: number; readonly of: number }

export type GenerationAsked = {
  /** Asks for one page of the table, with as many rows as a page can have. */
  readonly ask: (page: number, signal: AbortSignal) => Promise<Page>
  /** Headers of the counts, which add up to the row of all. */
  readonly counts: readonly string[]
  readonly signal: AbortSignal
  readonly tell: (pages: PagesDone) => void
}

/** Figures may move while their pages are fetched: so often it is begun again. */
const attempts = 3
const pagesAtOnce = 4
/** Far more than any table has: a service that says so says something wrong. */
const mostPages = 5_000

/**
 * Fetches every page of a table, and sees to it that they belong together.
 * @throws ServiceFailure where the figures go on changing, and whatever `ask` rejects with
 */
export async function fetchGeneration(asked: GenerationAsked): Promise<PackedTable> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const packed = await fetchOnce(asked)
    if (packed !== null) return packed
  }
  throw new ServiceFailure({
    kind: 'server-trouble',
    message:
      'The figures changed each time while their pages were fetched: they do not add up. Try again in a few minutes.',
  })
}

/** The table where a first page is all of it; its totals alone where there is more. */
export function packFirstPage({ answer, fetchedAt }: Page, counts: readonly string[]): PackedTable {
  const plain = withoutRates(answer)
  const check = new OneTable(counts)
  check.add(plain)
  if (!check.isWhole()) return packTotals(plain, fetchedAt)
  return packWhole(plain, plain.table.rows.length, [packPage(plain)], fetchedAt)
}

/** Null where the pages are not of one table: it changed on the way. */
async function fetchOnce({ ask, counts, signal, tell }: GenerationAsked): Promise<PackedTable | null> {
  const check = new OneTable(counts)
  const pages: Uint8Array[] = []
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  let done = 0
  let rows = 0
  let oldest = Infinity
  /** Each page is checked and packed as it comes: there may be a hundred, and none may hold up the rest. */
  const take = async (page: number): Promise<TableAnswer> => {
    const { answer, fetchedAt } = await ask(page, either)
    check.add(answer)
    pages[page - 1] = packPage(answer)
    done += 1
    rows += answer.table.rows.length
    oldest = Math.min(oldest, fetchedAt)
    return answer
  }
  const first = await take(1)
  const of = pageCount(first)
  tell({ done, of })
  const others = Array.from({ length: of - 1 }, (_, index) => index + 2)
  await someAtATime(pagesAtOnce, others, async (page) => {
    try {
      await take(page)
    } catch (error) {
      // Nothing comes of the others any more.
      ending.abort()
      throw error
    }
    tell({ done, of })
  })
  return check.isWhole() ? packWhole(first, rows, pages, oldest as Instant) : null
}

/** How many pages there are: as the service says, as far as that can be. @throws ServiceFailure where it cannot */
function pageCount({ table, query }: TableAnswer): number {
  if (table.rows.length >= query.results) return 1
  const fewest = Math.ceil(query.results / limits.rowsPerPage)
  const most = Math.ceil(query.results / Math.max(1, table.rows.length))
  const pages = Math.min(Math.max(query.pages, fewest), most)
  if (pages <= mostPages) return pages
  throw malformed(`a table of ${query.results} rows is larger than any`)
}
