import { invalid } from '#shared/api/failure.ts'
import { warningsOf } from '#shared/reports/figure-facts.ts'
import { clipboardForm, delimited } from '#shared/values/delimited.ts'
import { comparedFact, factsOf, knownOf, notesOn } from './facts.ts'
import type { Facts, NamedAccount } from './facts.ts'
import { readShown } from './shown.ts'
import type { TableToExport } from './shown.ts'
import type { TableReader } from './table-reader.ts'
import { headerLine, lines } from './csv-file.ts'

/** Maximum length in characters. More is slow to paste and blocks the whole desktop. */
const LONGEST_CLIPPING = 5_000_000

type Clipping = { readonly text: string; readonly rows: number }

/**
 * Formats a table as tab-separated text: headers, rows, and warnings about the figures.
 * @param wrote called with the rows written and the total
 * @throws DeskFailure `invalid` if the text is too long; failures of reading
 */
export async function clippingOf(
  reader: TableReader,
  account: NamedAccount,
  table: TableToExport,
  wrote: (done: number, total: number) => void,
): Promise<Clipping> {
  const parts: string[] = []
  let length = 0
  let rows = 0
  let below = ''
  const add = (text: string) => {
    parts.push(text)
    length += text.length
    if (length > LONGEST_CLIPPING) throw tooMuch()
  }
  for await (const { shown, some } of readShown(reader, table)) {
    const { report, columns, above, compared } = shown
    if (parts.length === 0) {
      below = linesBelow({ ...factsOf(account, report), compared })
      add(headerLine(columns, clipboardForm) + lines(above, columns, clipboardForm))
    }
    add(lines(some, columns, clipboardForm))
    rows += some.length
    wrote(rows, report.figures.query.results)
  }
  return { text: parts.join('') + below, rows }
}

/** Returns warnings about figures as lines below their table; empty if there are none. */
export function linesBelow(facts: Pick<Facts, 'figures' | 'compared'>): string {
  const known = warningsOf(knownOf(facts)).map(({ name, words }) => [name, words])
  const { compared } = facts
  const noted = compared && notesOn(compared).length > 0 ? [['Compared with', comparedFact(compared)]] : []
  const warnings = [...known, ...noted]
  return warnings.length === 0 ? '' : clipboardForm.lineEnd + delimited(warnings, clipboardForm)
}

const tooMuch = () => invalid('Too much for the clipboard (five million characters). Save it as CSV instead.')
