import type { Instant } from '../values/ids.ts'
import type { BlockListFormat } from './block-list.ts'

/** What a block list was made of, in words and by address. */
export type ListOrigin = {
  /** The address of the rows (views/address.ts), which opens them again. */
  readonly address: string
  /** The archives, by name. */
  readonly archives: readonly string[]
  /** What narrowed the rows: `RESULT is`, `bad`. */
  readonly filters: readonly { readonly words: string; readonly value: string }[]
  /** The first and the last moment of the archives' rows; null where they have none. */
  readonly period: { readonly first: Instant; readonly last: Instant } | null
  /** The column whose addresses, or whose networks, were taken. */
  readonly column: string
  readonly by: 'value' | 'network'
  readonly onlyBad: boolean
  readonly format: BlockListFormat
}

/** A block list as it is remembered. */
export type StoredList = {
  readonly name: string
  readonly entries: number
  readonly madeAt: Instant
  readonly origin: ListOrigin
}
