import { listValue } from '@duckdb/node-api'
import type { DuckDBValue } from '@duckdb/node-api'

/** A value as the engine takes and gives it. */
export type Value = DuckDBValue

/** What is bound in a statement, by name. */
export type Bound = Readonly<Record<string, Value>>

/** Takes a value that a statement binds, and gives its name there. */
export type Bind = (value: Value) => string

/** Texts as one value: `list_contains($v0::VARCHAR[], label)`. */
export const textList = (texts: readonly string[]): Value => listValue([...texts])

/** What is bound in a statement that is being made. */
export class Statement {
  readonly bound: Record<string, Value> = {}

  readonly bind: Bind = (value) => {
    const name = `v${Object.keys(this.bound).length}`
    this.bound[name] = value
    return `$${name}`
  }
}

/** Quotes that `searchable` (values/typed-text.ts) writes as a keyboard has them, and those of the keyboard. */
const curlyQuotes = '“”„‟″‘’‚‛′'
const straightQuotes = '"'.repeat(5) + "''".repeat(5)

/** A cell in the form of a text that is searched for, as far as that text needs it: this takes time on many rows. */
export function searchableSql(cell: string, search: string): string {
  const spaced = search.includes(' ') ? `replace(${cell}, '\u00a0', ' ')` : cell
  return /["']/.test(search) ? `translate(${spaced}, '${curlyQuotes}', '${straightQuotes}')` : spaced
}

/** A text as the engine gives it; empty where it is none. */
export const textFrom = (value: Value | undefined): string => (typeof value === 'string' ? value : '')

/** A count of rows. */
export const countFrom = (value: Value | undefined): number => Number(value ?? 0)

/** A number that may not be known. */
export const numberFrom = (value: Value | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
