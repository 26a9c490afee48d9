import type { Failure } from '../api/failure.ts'
import type { AccountId, Instant } from '../values/ids.ts'

/** What a person says of a PDF before it is saved. */
export type Paper = {
  /** In place of the view's name; empty for that. */
  readonly title: string
  /** Beneath the title; empty for none. */
  readonly comment: string
  /** Headers of the table's columns that are left out. */
  readonly without: readonly string[]
  /** Whether every row of a table follows on pages of its own; else the first ones stand on page one. */
  readonly whole: boolean
  /** Whether the last page says what the words mean. */
  readonly words: boolean
}

export const usualPaper: Paper = { title: '', comment: '', without: [], whole: false, words: false }

export const longestTitle = 200
export const longestComment = 2000

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest

/** Reads what the address of printed pages says; the usual where that cannot be understood. */
function readPaper(text: string | null): Paper {
  try {
    const read: unknown = JSON.parse(text ?? 'null')
    if (typeof read !== 'object' || read === null) return usualPaper
    const { title, comment, without, whole, words }: Partial<Record<keyof Paper, unknown>> = read
    return {
      title: isText(title, longestTitle) ? title : '',
      comment: isText(comment, longestComment) ? comment : '',
      without: Array.isArray(without) ? without.filter((item) => isText(item, 1000)) : [],
      whole: whole === true,
      words: words === true,
    }
  } catch {
    return usualPaper
  }
}

/**
 * What is drawn on pages: an account's view, whichever account is the active one by then, and what is said of it.
 * `madeAt` is when the findings of a case were made that the pages show; null where it does not matter.
 */
export type PrintAddress = {
  readonly account: AccountId
  readonly view: string
  readonly paper: Paper
  readonly madeAt: Instant | null
}

const PRINT = '#/print?'

export function writePrintAddress({
  account,
  view,
  paper = usualPaper,
  madeAt = null,
}: Pick<PrintAddress, 'account' | 'view'> & Partial<PrintAddress>): string {
  const made = madeAt === null ? {} : { madeAt: String(madeAt) }
  return PRINT + new URLSearchParams({ account, view, paper: JSON.stringify(paper), ...made }).toString()
}

/** Reads the address of a window; null where it is none that prints. */
export function readPrintAddress(text: string): PrintAddress | null {
  if (!text.startsWith(PRINT)) return null
  const parameters = new URLSearchParams(text.slice(PRINT.length))
  const account = parameters.get('account')
  const view = parameters.get('view')
  const madeAt = parameters.get('madeAt')
  return account === null || view === null
    ? null
    : {
        ...{ account: account as AccountId, view, paper: readPaper(parameters.get('paper')) },
        madeAt: madeAt === null ? null : (Number(madeAt) as Instant),
      }
}

/** What a page that prints says of itself, once: that everything stands on it, or why nothing does. */
export type PrintOutcome =
  /** `header` stands at the head of each page: whose it is, and of what. `footer` says which days, and how old its figures are. */
  | { readonly kind: 'printed'; readonly header: string; readonly footer: string }
  | { readonly kind: 'failed'; readonly failure: Failure }
