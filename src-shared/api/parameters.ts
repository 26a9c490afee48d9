import type { Day } from '../values/day.ts'

/** One raw-report filter as the service takes it (specification: filter object). */
export type RawFilter = {
  readonly column: string
  readonly operator?: string
  readonly value?: string
}

/** One key of a sort: a column by its number. What a service counts from is left open (specification: sort). */
export type SortKey = { readonly column: number; readonly direction: 'asc' | 'desc' }

/** The TypeScript type of each type of parameter. */
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

/** What the specification says of one parameter. */
export type Parameter = {
  readonly type: ParameterType
  readonly required: boolean
  /** What the service assumes when it is not given; a sort in the service's own form. */
  readonly default?: string | number | boolean
  /** Largest whole number taken. */
  readonly maximum?: number
  /** Applied only when all of these other parameters are set. */
  readonly needs?: readonly string[]
  /** Its name in words, for labels. */
  readonly words: string
}

export type Parameters = Readonly<Record<string, Parameter>>

type ValueOf<P extends Parameter> = ParameterValues[P['type']]

type Flatten<T> = { [K in keyof T]: T[K] }

/** The argument object of a call: required members must be there, the others may be left out. */
export type ArgumentsOf<P extends Parameters> = Flatten<
  { -readonly [K in keyof P as P[K]['required'] extends true ? K : never]: ValueOf<P[K]> } & {
    -readonly [K in keyof P as P[K]['required'] extends true ? never : K]?: ValueOf<P[K]> | undefined
  }
>

/** The limits of the specification (section Limits). Windows of days are not here: they differ by account. */
export const limits = {
  rowsPerPage: 1000,
  rowsPerPageByDefault: 20,
  sortKeys: 3,
  rawDaysBack: 90,
  rawStandardColumnsAtLeast: 1,
  rawAdditionalColumnsByDefault: 10,
} as const
