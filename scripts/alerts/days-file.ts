import Papa from 'papaparse'
import { addDays, dayFromWire, daysBetween, dayToWire, parseDay } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { WatchedFigures } from '#main/watch/detector/figures.ts'

/** Input that cannot be read, in words for whoever made it. */
export class BadInput extends Error {}

/** Figures of a file, with its first and last day and the form that it writes days in. */
type DaysFile = {
  readonly figures: WatchedFigures
  readonly start: Day
  readonly end: Day
  readonly format: (day: Day) => string
}

const columns = ['day', 'label', 'requests', 'bad'] as const

/** A longer file has a wrong day in it. */
const maxDays = 10_000

/** Parses a day as YYYYMMDD or YYYY-MM-DD. */
export const readDay = (text: string): Day | undefined => parseDay(text) ?? dayFromWire(text)

/**
 * Reads settled figures: one line a label and day, in any order. A label without a line on a later day of the file had
 * no requests. An empty count is unknown, as is a day without lines. Columns of other names are not read.
 * @throws BadInput
 */
export function readDays(text: string, settlesAfter: number): DaysFile {
  const [header = { cells: [], line: 1 }, ...records] = recordsOf(text)
  const names = header.cells.map((name) => name.trim().toLowerCase())
  const places = columns.map((name) => names.indexOf(name))
  if (columns.some((name) => names.filter((each) => each === name).length !== 1))
    throw new BadInput(`Line ${header.line}: the columns ${columns.join(', ')} have to be there, each once.`)
  const lines = records.map(({ cells, line }) => {
    if (cells.length !== names.length)
      throw new BadInput(
        `Line ${line}: ${cells.length} fields instead of ${names.length}. Put quotes around a label with a comma.`,
      )
    return lineOf(
      places.map((place) => cells[place] ?? ''),
      line,
    )
  })
  const [one] = lines
  if (!one) throw new BadInput('The file has no days.')
  const first = lines.reduce((earliest, each) => (each.day < earliest.day ? each : earliest), one)
  const last = lines.reduce((latest, each) => (each.day > latest.day ? each : latest), one)
  const [start, end] = [first.day, last.day]
  const length = daysBetween(start, end) + 1
  if (length > maxDays)
    throw new BadInput(
      `The days reach from ${start} (line ${first.number}) to ${end} (line ${last.number}): more than ${maxDays}. Correct one.`,
    )
  return {
    ...{ start, end, figures: figuresOf(lines, start, length, settlesAfter) },
    format: (day) => (one.isIso ? day : String(dayToWire(day))),
  }
}

/** Cells of a record, and the line that it begins on. */
type TextRecord = { readonly cells: readonly string[]; readonly line: number }

/** The records of a file; blank lines are none. */
function recordsOf(text: string): TextRecord[] {
  // With mixed line ends, the rarer ones would not end a record.
  const { data, errors } = Papa.parse<string[]>(text.replace(/\r\n?/g, '\n'), {
    delimiter: ',',
    newline: '\n',
  })
  let line = 1
  const records = data.map((cells) => {
    const record = { cells, line }
    line += cells.join('').split('\n').length
    return record
  })
  const [error] = errors
  if (error)
    throw new BadInput(
      `Line ${records[error.row ?? 0]?.line ?? line}: ${error.message}. Put a label with quotes into quotes, each doubled.`,
    )
  return records.filter(({ cells }) => cells.length > 1 || cells[0]?.trim() !== '')
}

type Line = ReturnType<typeof lineOf>

/** Repeats a cell in a message. */
const quoted = (cell: string): string => `“${cell.slice(0, 80)}”`

function lineOf(
  [dayText = '', label = '', requestsText = '', badText = '']: readonly string[],
  number: number,
) {
  const day = readDay(dayText.trim())
  if (day === undefined)
    throw new BadInput(`Line ${number}: ${quoted(dayText)} is no day. Write 20261130 or 2026-11-30.`)
  if (label.trim() === '') throw new BadInput(`Line ${number}: the label is missing. Name the row.`)
  const [requests, bad] = [countOf(requestsText, 'requests', number), countOf(badText, 'bad', number)]
  if (requests !== null && bad !== null && bad > requests)
    throw new BadInput(
      `Line ${number}: ${bad} bad of ${requests} requests. Bad ones are counted in requests.`,
    )
  return { day, label, requests, bad, number, isIso: dayText.includes('-') }
}

function countOf(text: string, name: string, number: number): number | null {
  if (text.trim() === '') return null
  const count = Number(text)
  // Number reads 0x10 and 1e3 as well.
  if (/^\s*\d+\s*$/.test(text) && Number.isSafeInteger(count)) return count
  throw new BadInput(
    `Line ${number}: ${quoted(text)} is no count of ${name}. Write a whole number, or nothing if it is unknown.`,
  )
}

function figuresOf(
  lines: readonly Line[],
  firstDay: Day,
  length: number,
  settlesAfter: number,
): WatchedFigures {
  const hasDay = new Array<boolean>(length).fill(false)
  const rows = new Map<string, { requests: (number | null | undefined)[]; bad: (number | null)[] }>()
  for (const { day, label, requests, bad, number } of lines) {
    const index = daysBetween(firstDay, day)
    let row = rows.get(label)
    if (!row) {
      row = {
        requests: new Array<undefined>(length).fill(undefined),
        bad: new Array<null>(length).fill(null),
      }
      rows.set(label, row)
    }
    if (row.requests[index] !== undefined)
      throw new BadInput(`Line ${number}: ${day} has a line for ${quoted(label)} already. Keep one.`)
    row.requests[index] = requests
    row.bad[index] = bad
    hasDay[index] = true
  }
  return {
    ...{ firstDay, settlesAfter, settled: hasDay },
    // The order of the lines is not to be that of the findings.
    rows: [...rows]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([label, { requests, bad }]) => {
        const first = requests.findIndex((count) => count !== undefined)
        const isNone = (index: number) =>
          index > first && requests[index] === undefined && hasDay[index] === true
        return {
          ...{ label, group: null },
          requests: requests.map((count, index) => (isNone(index) ? 0 : (count ?? null))),
          bad: bad.map((count, index) => (isNone(index) ? 0 : count)),
        }
      }),
  }
}

/** The figures of the rows that were known on a morning: how unusual a day has to be depends on how many there are. */
export function figuresOn({ figures, start }: DaysFile, morning: Day): WatchedFigures {
  const today = daysBetween(start, morning)
  const isKnown = ({ requests }: WatchedFigures['rows'][number]) => {
    const first = requests.findIndex((count) => count !== null)
    return first !== -1 && first < today
  }
  return { ...figures, rows: figures.rows.filter(isKnown) }
}

/** The mornings of a file until a day: the last days settle after the file's end. */
export const morningsOf = ({ start, end, figures }: DaysFile, today: Day) => {
  const last = addDays(end, Math.max(1, figures.settlesAfter))
  return { start: addDays(start, 1), end: today < last ? today : last }
}
