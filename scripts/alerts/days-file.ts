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
 * Reads settled figures: one line a label and day. A label without a line on a later day of the file had no requests.
 * An empty count is unknown, as is a day without lines.
 * @throws BadInput
 */
export function readDays(text: string, settlesAfter: number): DaysFile {
  const { data, errors } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
    skipEmptyLines: true,
    delimiter: ',',
  })
  const [error] = errors
  if (error) throw new BadInput(`Line ${(error.row ?? 0) + 1}: ${error.message}.`)
  const [header = [], ...lines] = data
  const names = header.map((name) => name.trim().toLowerCase())
  const places = columns.map((name) => names.indexOf(name))
  if (places.includes(-1)) throw new BadInput(`The first line has to be: ${columns.join(',')}`)
  if (lines.length === 0) throw new BadInput('The file has no days.')
  const cells = lines.map((line, index) =>
    lineOf(
      places.map((place) => line[place]),
      index + 2,
    ),
  )
  const days = cells.map(({ day }) => day)
  const start = days.reduce((first, day) => (day < first ? day : first))
  const end = days.reduce((last, day) => (day > last ? day : last))
  const length = daysBetween(start, end) + 1
  if (length > maxDays) throw new BadInput(`The days reach from ${start} to ${end}: more than ${maxDays}.`)
  const isIso = (lines[0]?.[places[0] ?? 0] ?? '').includes('-')
  return {
    ...{ start, end, figures: figuresOf(cells, start, length, settlesAfter) },
    format: (day) => (isIso ? day : String(dayToWire(day))),
  }
}

type Line = ReturnType<typeof lineOf>

function lineOf(
  [dayText = '', label = '', requestsText, badText]: readonly (string | undefined)[],
  number: number,
) {
  const day = readDay(dayText.trim())
  if (day === undefined)
    throw new BadInput(`Line ${number}: “${dayText}” is no day. Write 20261130 or 2026-11-30.`)
  if (label === '') throw new BadInput(`Line ${number}: the label is missing.`)
  const [requests, bad] = [countOf(requestsText, 'requests', number), countOf(badText, 'bad', number)]
  if (requests !== null && bad !== null && bad > requests)
    throw new BadInput(`Line ${number}: ${bad} bad of ${requests} requests.`)
  return { day, label, requests, bad, number }
}

function countOf(text: string | undefined, name: string, number: number): number | null {
  if (text === undefined) throw new BadInput(`Line ${number}: ${name} is missing.`)
  if (text.trim() === '') return null
  const count = Number(text)
  if (Number.isSafeInteger(count) && count >= 0) return count
  throw new BadInput(`Line ${number}: “${text}” is no count of ${name}.`)
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
      throw new BadInput(`Line ${number}: ${day} has a line for “${label.slice(0, 80)}” already.`)
    row.requests[index] = requests
    row.bad[index] = bad
    hasDay[index] = true
  }
  return {
    ...{ firstDay, settlesAfter, settled: hasDay },
    rows: Array.from(rows, ([label, { requests, bad }]) => {
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

/** The mornings of a file until a day: the last days settle after the file's end. */
export const morningsOf = ({ start, end, figures }: DaysFile, today: Day) => {
  const last = addDays(end, Math.max(1, figures.settlesAfter))
  return { start: addDays(start, 1), end: today < last ? today : last }
}
