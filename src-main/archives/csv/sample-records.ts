/** A record of a sample, with its place in bytes and its number of lines. */
export type SampleRecord = {
  readonly from: number
  readonly lines: number
  readonly cells: readonly string[]
}

const number = /^[-+(]?\p{Sc}? ?[-+]?\d[\d.,'\u00a0 ]*(?:[eE][-+]?\d+)? ?(?:%|\p{Sc}|[A-Z]{3})?\)?$/u
const moment =
  /^\d{1,4}[-/.](?:\d{1,2}|[a-z]{3})[-/.]\d{1,4}(?:(?:,? ?T?|:)\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AP]\.?M\.?)?(?: ?(?:Z|UTC|[-+]\d{2}:?\d{0,2}))?)?$/i
const address = /^\[?(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f:.]*:[\da-f.]*)\]?(?::\d+|\/\d+)?$/i
const link = /^[a-z][a-z+.-]*:\/\/\S+$|^www\.\S+$/i
// One class after a lookahead: two classes around a digit would backtrack on every long cell.
const id = /^(?=\D*\d)[\w.@+-]+$/
const words = /^[\p{L}\p{M}\p{N} ._\-'’&()/:+#*%!?–—]+$/u

/** Pattern of placeholders for an empty cell, valid in JavaScript and in the engine. */
// Not a raw template: the bundler escapes the dashes, and the engine does not know these escapes.
const nothing = `^(?:${[
  '[ \\t]*|-{1,3}|\u2013|\u2014|\\.|\\?|n/a|n\\.a\\.|na|nan|nat|nil|null|none|undefined|unknown|missing|not available|no data',
  'k\\. ?a\\.|n\\.v\\.|n\\.d\\.|s/o|\\\\N|[<(\\[](?:nil|null|none|empty|not set|unknown)[>)\\]]',
  // Errors of a spreadsheet.
  '#(?:N/A|NV|DIV/0!|REF!|VALUE!|NAME\\?|NUM!|NULL!)',
].join('|')})$`
export const placeholder = new RegExp(nothing, 'i')
export const placeholderSql = (cell: string): string => `regexp_matches(trim(${cell}), '${nothing}', 'i')`

export type CellLook = 'nothing' | 'number' | 'moment' | 'address' | 'link' | 'id' | 'words' | 'other'

/** Classifies the text of a cell. */
export function lookOf(cell: string): CellLook {
  const text = cell.trim()
  if (placeholder.test(text)) return 'nothing'
  if (moment.test(text)) return 'moment'
  if (address.test(text)) return 'address'
  if (number.test(text)) return 'number'
  if (link.test(text)) return 'link'
  if (id.test(text)) return 'id'
  return words.test(text) ? 'words' : 'other'
}

/** Returns the most frequent value; 0 if there is none. */
export const mode = (values: readonly number[]): number => {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0])[0]
}

/** Whether a record is an empty line, or has only empty cells. */
export const isBlank = (cells: readonly string[]) => cells.length === 1 && isEmpty(cells)
export const isEmpty = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '')
