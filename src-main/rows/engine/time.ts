import { quoted } from './names.ts'

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

/** Whether a cell is a moment as the service writes it: `2026-11-20T14:03:59+01:00`, or `Z`. Its text can be made again from its parts. */
export const isWritten = (cell: string): string =>
  `coalesce(replace(left(${cell}, 19), 'T', ' ') = ${wall(cell)}::VARCHAR AND substr(${cell}, 11, 1) = 'T'
    AND (${offsetOf(cell)} = 'Z' OR regexp_full_match(${offsetOf(cell)}, '[+-][0-2][0-9]:[0-5][0-9]')), false)`

/** Minutes east of UTC, of an offset such as `+01:00`. */
export const minutesOf = (offset: string): string =>
  `CASE WHEN ${offset} IS NULL OR ${offset} = 'Z' THEN 0 ELSE (CASE left(${offset}, 1) WHEN '-' THEN -1 ELSE 1 END)
    * (TRY_CAST(substr(${offset}, 2, 2) AS INTEGER) * 60 + TRY_CAST(substr(${offset}, 5, 2) AS INTEGER)) END`

/** The columns of a file for a cell of moments. */
export function timeColumns(cell: string, stored: string): string {
  const { utc, offset, text } = timeParts(stored)
  const written = isWritten(cell)
  return `CASE WHEN ${written} THEN ${wall(cell)} - to_minutes(${minutesOf(offsetOf(cell))})
      ELSE TRY_CAST(${cell} AS TIMESTAMP) END AS ${utc},
    CASE WHEN ${written} THEN ${offsetOf(cell)} END AS ${offset},
    CASE WHEN NOT ${written} THEN ${cell} END AS ${text}`
}

/** The text of a moment as it came, from its parts. */
export const timeText = (utc: string, offset: string, text: string): string =>
  `coalesce(${text}, strftime(${utc} + to_minutes(${minutesOf(offset)}), '%Y-%m-%dT%H:%M:%S') || ${offset})`
