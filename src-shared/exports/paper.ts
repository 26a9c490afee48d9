import type { Failure } from '../api/failure.ts'
import { parseDay } from '../values/day.ts'
import type { Day } from '../values/day.ts'
import { instantOf } from '../values/ids.ts'
import type { AccountId, Instant } from '../values/ids.ts'

/** Options of a PDF. */
export type Paper = {
  /** Replaces the view's name; empty for the view's name. */
  readonly title: string
  /** Text under the title; empty for none. */
  readonly comment: string
  /** Headers of columns to leave out. */
  readonly without: readonly string[]
  /** Whether all rows are printed on further pages, and not only the first rows on page one. */
  readonly whole: boolean
  /** Whether the last page explains the terms. */
  readonly words: boolean
  /** Whether the user's notes are printed with the chart. They may be internal, so not by default. */
  readonly notes: boolean
  /** Only false: what explains the changes is not printed. */
  readonly why?: false
}

export const usualPaper: Paper = {
  ...{ title: '', comment: '', without: [] },
  ...{ whole: false, words: false, notes: false },
}

export const longestTitle = 200
export const longestComment = 2000

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest

/** Parses the options in a print address. Invalid ones get their default. */
function readPaper(text: string | null): Paper {
  try {
    const read: unknown = JSON.parse(text ?? 'null')
    if (typeof read !== 'object' || read === null) return usualPaper
    const { title, comment, without, whole, words, notes, why }: Partial<Record<keyof Paper, unknown>> = read
    return {
      title: isText(title, longestTitle) ? title : '',
      comment: isText(comment, longestComment) ? comment : '',
      without: Array.isArray(without) ? without.filter((item) => isText(item, 1000)) : [],
      whole: whole === true,
      words: words === true,
      notes: notes === true,
      ...(why === false && { why }),
    }
  } catch {
    return usualPaper
  }
}

/**
 * A view to print for a certain account, with options. `madeAt` is the time of a case's findings, and `day` the day of Today's
 * figures; null if irrelevant.
 */
export type PrintAddress = {
  readonly account: AccountId
  readonly view: string
  readonly paper: Paper
  readonly madeAt: Instant | null
  readonly day: Day | null
}

const PRINT = '#/print?'

export function writePrintAddress({
  account,
  view,
  paper = usualPaper,
  madeAt = null,
  day = null,
}: Pick<PrintAddress, 'account' | 'view'> & Partial<PrintAddress>): string {
  const made = { ...(madeAt !== null && { madeAt: String(madeAt) }), ...(day !== null && { day }) }
  return PRINT + new URLSearchParams({ account, view, paper: JSON.stringify(paper), ...made }).toString()
}

/** Parses the address of a printing window; null for other windows. */
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
        madeAt: madeAt !== null && /^\d{1,15}$/.test(madeAt) ? instantOf(Number(madeAt)) : null,
        day: parseDay(parameters.get('day') ?? '') ?? null,
      }
}

/** Sent once by a printing page: the page is complete, or has failed. */
export type PrintOutcome =
  /** `header` has account and subject, at the head of each page. `footer` has the days and the age of the figures. */
  | { readonly kind: 'printed'; readonly header: string; readonly footer: string }
  | { readonly kind: 'failed'; readonly failure: Failure }
