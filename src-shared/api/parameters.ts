import type { Day } from '../values/day.ts'

/** A filter of a raw report (specification: filter object). */
export type RawFilter = {
  readonly column: string
  readonly operator?: string
  readonly value?: string
}

/** A sort key: a column by number. The first number is left open (specification: sort). */
export type SortKey = { readonly column: number; readonly direction: 'asc' | 'desc' }

/** TypeScript types by type of parameter. */
type ParameterValues = {
  text: string
  flag: boolean
  whole: number
  day: Day
  sort: readonly SortKey[]
  texts: readonly string[]
  wholes: readonly number[]
  filters: readonly RawFilter[]
  /** One text or several (raw/remove). */
  'text-or-texts': string | readonly string[]
}

export type ParameterType = keyof ParameterValues

/** A parameter of the specification. */
export type Parameter = {
  readonly type: ParameterType
  readonly required: boolean
  /** The service's default; a sort in the service's form. */
  readonly default?: string | number | boolean
  /** Largest accepted integer. */
  readonly maximum?: number
  /** Other parameters that must be set, or the service ignores this one. */
  readonly needs?: readonly string[]
  /** Name for labels. */
  readonly words: string
}

export type Parameters = Readonly<Record<string, Parameter>>

type ValueOf<P extends Parameter> = ParameterValues[P['type']]

type Flatten<T> = { [K in keyof T]: T[K] }

/** Arguments of a call: required members and optional ones. */
export type ArgumentsOf<P extends Parameters> = Flatten<
  { -readonly [K in keyof P as P[K]['required'] extends true ? K : never]: ValueOf<P[K]> } & {
    -readonly [K in keyof P as P[K]['required'] extends true ? never : K]?: ValueOf<P[K]> | undefined
  }
>

/** Limits of the specification (section Limits). Windows of days are not included, because they differ by account. */
export const limits = {
  rowsPerPage: 1000,
  rowsPerPageByDefault: 20,
  sortKeys: 3,
  rawDaysBack: 90,
  rawStandardColumnsAtLeast: 1,
  rawAdditionalColumnsByDefault: 10,
} as const
