import { listValue } from '@duckdb/node-api'
import type { DuckDBValue } from '@duckdb/node-api'

/** A value that is bound or returned. */
export type Value = DuckDBValue

/** Bound values by name. */
export type Bound = Readonly<Record<string, Value>>

/** Binds a value and returns its placeholder. */
export type Bind = (value: Value) => string

/** Converts texts to one value: `list_contains($v0::VARCHAR[], label)`. */
export const textList = (texts: readonly string[]): Value => listValue([...texts])

/** Collects the bound values of a statement. */
export class Statement {
  readonly bound: Record<string, Value> = {}

  readonly bind: Bind = (value) => {
    const name = `v${Object.keys(this.bound).length}`
    this.bound[name] = value
    return `$${name}`
  }
}

/** Quotes that `searchable` (values/typed-text.ts) replaces, and their replacements. */
const curlyQuotes = '“”„‟″‘’‚‛′'
const straightQuotes = '"'.repeat(5) + "''".repeat(5)

/** SQL of a cell, normalised as far as the search text needs it: normalising takes time on many rows. */
export function searchableSql(cell: string, search: string): string {
  const spaced = search.includes(' ') ? `replace(${cell}, '\u00a0', ' ')` : cell
  return /["']/.test(search) ? `translate(${spaced}, '${curlyQuotes}', '${straightQuotes}')` : spaced
}

/** Returns a text value; empty for any other value. */
export const textFrom = (value: Value | undefined): string => (typeof value === 'string' ? value : '')

/** Returns a count of rows. */
export const countFrom = (value: Value | undefined): number => Number(value ?? 0)

/** Returns a number; null if it is unknown. */
export const numberFrom = (value: Value | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
