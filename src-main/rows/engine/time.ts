import { quoted } from './quoted.ts'

/**
 * How moments lie in a file: as `<stored>_utc`, with the offset that was written in `<stored>_offset`. What is written in any other
 * form stays as it came in `<stored>_text`, beside its moment where it has one.
 */
export const timeParts = (stored: string) => ({
  utc: quoted(`${stored}_utc`),
  offset: quoted(`${stored}_offset`),
  text: quoted(`${stored}_text`),
})

const wall = (cell: string) => `TRY_CAST(left(${cell}, 19) AS TIMESTAMP)`
const offsetOf = (cell: string) => `substr(${cell}, 20)`

/** `____` stands for any letters: that they are digits is seen by whether the engine reads them as a moment. */
const form = '____-__-__T__:__:__'

/**
 * Whether a cell is a moment as the service writes it: `2026-11-20T14:03:59+01:00`, or `Z`. Its text can be made again from its parts.
 * Midnight as 24:00 cannot: the engine reads it as the next day.
 */
export const isWritten = (cell: string): string =>
  `coalesce((${cell} LIKE '${form}Z' OR ((${cell} LIKE '${form}+__:__' OR ${cell} LIKE '${form}-__:__')
    AND regexp_full_match(${offsetOf(cell)}, '[+-][0-2][0-9]:[0-5][0-9]')))
    AND ${wall(cell)} IS NOT NULL AND NOT contains(${cell}, 'T24') AND NOT contains(${cell}, ' '), false)`

/** Minutes east of UTC, of an offset such as `+01:00`. */
const minutesOf = (text: string): string =>
  `(CASE left(${text}, 1) WHEN '-' THEN -1 ELSE 1 END)
    * (TRY_CAST(substr(${text}, 2, 2) AS INTEGER) * 60 + TRY_CAST(substr(${text}, 5, 2) AS INTEGER))`

const plain = '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?)?'
const offset = ' ?(Z|[+-][0-2][0-9](:?[0-5][0-9])?)'

/** A moment that is written in another form: with its offset, where it has one, else as UTC. */
const otherMoment = (cell: string): string =>
  `CASE WHEN regexp_full_match(${cell}, '${plain}') THEN TRY_CAST(${cell} AS TIMESTAMP)
    WHEN regexp_full_match(${cell}, '${plain}${offset}') THEN timezone('UTC', TRY_CAST(${cell} AS TIMESTAMPTZ)) END`

/** The columns of a file for a cell of moments. */
export function timeColumns(cell: string, stored: string): string {
  const parts = timeParts(stored)
  const written = isWritten(cell)
  return `CASE WHEN NOT ${written} THEN ${otherMoment(cell)} WHEN ${cell} LIKE '%Z' THEN ${wall(cell)}
      ELSE ${wall(cell)} - to_minutes(${minutesOf(offsetOf(cell))}) END AS ${parts.utc},
    CASE WHEN ${written} THEN ${offsetOf(cell)} END AS ${parts.offset},
    CASE WHEN NOT ${written} THEN ${cell} END AS ${parts.text}`
}

/** The text of a moment as it came, from its parts. */
export const timeText = (utc: string, written: string, text: string): string =>
  `CASE WHEN ${written} IS NULL THEN ${text} WHEN ${written} = 'Z' THEN strftime(${utc}, '%Y-%m-%dT%H:%M:%SZ')
    ELSE strftime(${utc} + to_minutes(${minutesOf(written)}), '%Y-%m-%dT%H:%M:%S') || ${written} END`
