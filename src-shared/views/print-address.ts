import { readPaper, usualPaper } from '../exports/paper.ts'
import type { Paper } from '../exports/paper.ts'
import type { AccountId } from '../values/ids.ts'
import type { Failure } from '../api/failure.ts'

/** What is drawn on pages: an account's view, whichever account is the active one by then, and what is said of it. */
export type PrintAddress = { readonly account: AccountId; readonly view: string; readonly paper: Paper }

const PRINT = '#/print?'

export function writePrintAddress({
  account,
  view,
  paper = usualPaper,
}: Pick<PrintAddress, 'account' | 'view'> & Partial<PrintAddress>): string {
  return PRINT + new URLSearchParams({ account, view, paper: JSON.stringify(paper) }).toString()
}

/** Reads the address of a window; null where it is none that prints. */
export function readPrintAddress(text: string): PrintAddress | null {
  if (!text.startsWith(PRINT)) return null
  const parameters = new URLSearchParams(text.slice(PRINT.length))
  const account = parameters.get('account')
  const view = parameters.get('view')
  return account === null || view === null
    ? null
    : { account: account as AccountId, view, paper: readPaper(parameters.get('paper')) }
}

/** What a page that prints says of itself, once: that everything stands on it, or why nothing does. */
export type PrintOutcome =
  /** `header` stands at the head of each page. */
  | { readonly kind: 'printed'; readonly header?: string }
  | { readonly kind: 'failed'; readonly failure: Failure }
