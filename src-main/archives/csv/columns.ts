import type { RawType } from '#shared/api/raw-columns.ts'
import { rawStandardColumns, rawTypes } from '#shared/api/raw-columns.ts'

/** A header as the desk knows it. */
export type NamedColumn = { readonly name: string; readonly standard: string | null; readonly stored: string }

const known: ReadonlySet<string> = new Set(Object.values(rawStandardColumns).flat())

/** What a header means: `timestamp`, a standard column, an additional one by its number; null for anything else. */
export function standardOf(header: string): string | null {
  const plain = header.trim().toLowerCase().replaceAll(' ', '_')
  if (plain === 'timestamp' || known.has(plain)) return plain
  const [, number] = /^additional_(\d{1,9})$/.exec(plain) ?? []
  return number ?? null
}

/**
 * Names columns: by header, each name once; and for the file by letters, digits and underscores alone, so that any engine can read it
 * and nothing that a header says ever stands in a statement. Each begins with `x_`: no word of SQL, no column of an engine's own
 * and none of ours does. What a time column adds behind its name stays free.
 */
export function nameColumns(headers: readonly string[]): NamedColumn[] {
  const names = new Set<string>()
  const stored = new Set<string>()
  return headers.map((header, place) => {
    const wanted = header.trim() === '' ? `Column ${place + 1}` : header
    const name = free(wanted, names, (number) => `${wanted} (${number})`)
    const plain = storedForm(wanted)
    const standard = name === wanted ? standardOf(header) : null
    return { name, standard, stored: free(plain, stored, (number) => `${plain}_n${number}`) }
  })
}

function free(wanted: string, taken: Set<string>, numbered: (number: number) => string): string {
  let name = wanted
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = numbered(number)
  taken.add(name.toLowerCase())
  return name
}

function storedForm(header: string): string {
  const plain = header
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 50)
  // A number behind a name, or what is added to a time's, must not make it another column's.
  const own = /_(n\d+|utc|offset|text)$/.test(plain) ? `${plain}_` : plain
  return `x_${own}`
}

/**
 * Which type of raw report has these columns; null where it is none, or where several could be.
 * @param results values of the column of results, as far as some were seen
 */
export function typeOf(columns: readonly NamedColumn[], results: ReadonlySet<string>): RawType | null {
  const standard = columns.flatMap((column) => column.standard ?? [])
  if (!standard.includes('timestamp')) return null
  const named = standard.filter((value) => value !== 'timestamp' && !/^\d+$/.test(value))
  const fitting = rawTypes.filter((type) => named.every((value) => rawStandardColumns[type].includes(value)))
  const [only] = fitting
  if (fitting.length === 1 && only) return only
  const judged = results.has('suspect') || results.has('non-suspect') ? 'direct' : 'response'
  return results.size > 0 && fitting.includes(judged) ? judged : null
}
