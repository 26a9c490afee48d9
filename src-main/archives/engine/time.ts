import { storedName } from '#main/analytics/rows-layout.ts'
import { isEpoch } from '#shared/archives/rows-file.ts'
import type { EpochForm, TimeForm } from '#shared/archives/rows-file.ts'
import { plainMomentSql, trimmedSql } from '../csv/moment-text.ts'

/**
 * Columns of a time in a rows file: UTC in `<stored>_utc`, the written offset in `<stored>_offset`. Text in any other form is stored in
 * `<stored>_text`, beside its time if it could be parsed.
 */
export const timeParts = (stored: string) => ({
  utc: quoted(`${stored}_utc`),
  offset: quoted(`${stored}_offset`),
  text: quoted(`${stored}_text`),
})

const offsetOf = (cell: string) => `substr(${cell}, 20)`

/** `____` matches any characters. The cast to a timestamp checks that they are digits. */
const form = '____-__-__T__:__:__'
const isInUtc = (cell: string) => `${cell} LIKE '${form}Z'`

/** SQL of the wall time of a cell. The engine reads a whole text faster than a part of it. */
const wallOf = (cell: string, inUtc: string) =>
  `TRY_CAST(CASE WHEN ${inUtc} THEN ${cell} ELSE left(${cell}, 19) END AS TIMESTAMP)`

/**
 * SQL that tests for the service's format: `2026-11-20T14:03:59+01:00`, or `Z`. The text can be restored from its parts. Midnight as 24:00
 * cannot: the engine reads it as the next day. The order of the tests avoids computing later ones.
 */
const writtenOf = (cell: string, inUtc: string, wall: string) =>
  `coalesce(CASE WHEN ${inUtc} THEN true WHEN ${cell} LIKE '${form}+__:__' OR ${cell} LIKE '${form}-__:__'
    THEN regexp_full_match(${offsetOf(cell)}, '[+-][0-2][0-9]:[0-5][0-9]') END
    AND ${wall} IS NOT NULL AND NOT contains(${cell}, 'T24') AND NOT contains(${cell}, ' '), false)`

/** Minutes east of UTC, from an offset like `+01:00`. */
const minutesOf = (text: string): string =>
  `(CASE left(${text}, 1) WHEN '-' THEN -1 ELSE 1 END)
    * (TRY_CAST(substr(${text}, 2, 2) AS INTEGER) * 60 + TRY_CAST(substr(${text}, 5, 2) AS INTEGER))`

const offset = ' ?(?:Z|UTC|GMT|[+-][0-2][0-9](?::?[0-5][0-9])?)'
const date = '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}'
const clock = '[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]+)?)?'
const names = ['%d %b %Y', '%d %B %Y', '%b %d %Y', '%B %d %Y']
const halfDays = ['%I:%M %p', '%I:%M:%S %p', '%I:%M:%S.%f %p'].map((time) => `%Y-%m-%d ${time}`)
const patterns = (texts: readonly string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`

/** Format of a column's times, and the zone for times without a zone. */
type ZonedTimeForm = { readonly form: TimeForm; readonly zone: string }

/** SQL that tests whether a time in another form names no zone. */
export const namesNoZone = (text: string): string =>
  `(${text} IS NOT NULL AND NOT regexp_matches(${plainMomentSql(text)}, ':[0-9]{2}(?:[.,][0-9]+)?${offset}$'))`

/** SQL of a date with its year first, dashes, and one blank before the time. `plain` is of `plainMomentSql`. */
function dateFirst(plain: string, form: TimeForm): string {
  const swap = (text: string, year: string, by: string) =>
    `regexp_replace(${text}, '^([0-9]{1,2})[-/.]([0-9]{1,2})[-/.]${year}', '${by}')`
  const [month, day] = form === 'day-first' ? ['2', '1'] : ['1', '2']
  const ordered = `-\\${month}-\\${day}\\4`
  const spaced = `regexp_replace(regexp_extract(${plain}, '^.*?[0-9]{4}'), '[-,/ ]+', ' ', 'g')`
  const named = `strftime(TRY_STRPTIME(${spaced}, ${patterns(names)}), '%Y-%m-%d')
    || regexp_replace(regexp_replace(${plain}, '^.*?[0-9]{4}', ''), '^:', ' ')`
  if (form === 'named-month') return withPoints(named)
  const turned =
    form === 'month-first' || form === 'day-first'
      ? swap(swap(plain, '([0-9]{4})()', `\\3${ordered}`), '([0-9]{2})(\\D|$)', `20\\3${ordered}`)
      : `regexp_replace(${plain}, '^([0-9]{4})[/.]([0-9]{1,2})[/.]', '\\1-\\2-')`
  return withPoints(turned)
}

/** SQL with one blank before the time, and a point before its fraction. */
const withPoints = (text: string) =>
  `regexp_replace(regexp_replace(${text}, '^([-0-9]+)(?:,? +|T)', '\\1 '), '(:[0-9]{2}),', '\\1.')`

/** Numbers of a time since 1970 in each form, and SQL of their microseconds. */
const epochs: Readonly<Record<EpochForm, readonly [digits: string, microseconds: (cell: string) => string]>> =
  {
    'epoch-s': [
      '[1-3][0-9]{9}(?:[.][0-9]+)?',
      (cell) => `TRY_CAST(TRY_CAST(${cell} AS DECIMAL(20, 6)) * 1000000::DECIMAL(7, 0) AS BIGINT)`,
    ],
    'epoch-ms': [
      '[1-3][0-9]{12}(?:[.][0-9]+)?',
      (cell) => `TRY_CAST(TRY_CAST(${cell} AS DECIMAL(20, 3)) * 1000::DECIMAL(4, 0) AS BIGINT)`,
    ],
    'epoch-us': ['[1-3][0-9]{15}', (cell) => `TRY_CAST(${cell} AS BIGINT)`],
    'epoch-ns': ['[1-3][0-9]{18}', (cell) => `TRY_CAST(${cell} AS BIGINT) // 1000`],
  }

/** SQL of a time in another form: by its own offset if it has one, else in the zone. */
function otherMoment(cell: string, { form, zone }: ZonedTimeForm): string {
  const inZone = (moment: string) =>
    zone === 'UTC' ? moment : `timezone('UTC', timezone('${zone.replaceAll("'", "''")}', ${moment}))`
  if (isEpoch(form)) {
    // Only the forms of csv/values.ts: a number out of range would end the import, or be in the year 58,000.
    const [digits, microseconds] = epochs[form]
    return `CASE WHEN regexp_full_match(${trimmedSql(cell)}, '${digits}') THEN make_timestamp(${microseconds(trimmedSql(cell))}) END`
  }
  const text = dateFirst(`${cell}_plain`, form)
  const halvesOf = (moment: string) => `regexp_replace(${moment}, ' ?([AP])[.]?M[.]?$', ' \\1M')`
  const halves = halvesOf(text)
  const beforeZone = halvesOf(`regexp_replace(${text}, '${offset}$', '')`)
  // The engine needs seconds before an offset.
  const whole = `regexp_replace(regexp_replace(regexp_replace(${text}, ' ?(?:UTC|GMT|Z)$', 'Z'), ' ([+-])', '\\1'),
    '^([^ ]+ [0-9]{1,2}:[0-9]{2})([-+Z])', '\\1:00\\2')`
  return `CASE WHEN regexp_full_match(${text}, '${date}(?: ${clock})?') THEN ${inZone(`TRY_CAST(${text} AS TIMESTAMP)`)}
    WHEN regexp_full_match(${text}, '${date} ${clock}${offset}')
      THEN timezone('UTC', TRY_CAST(${whole} AS TIMESTAMPTZ))
    WHEN regexp_full_match(${halves}, '${date} ${clock} [AP]M')
      THEN ${inZone(`TRY_STRPTIME(${halves}, ${patterns(halfDays)})`)}
    WHEN regexp_full_match(${text}, '${date} ${clock} ?[AP][.]?M[.]?${offset}')
      THEN timezone('UTC', TRY_CAST(strftime(TRY_STRPTIME(${beforeZone}, ${patterns(halfDays)}), '%Y-%m-%d %H:%M:%S.%f')
        || regexp_replace(regexp_extract(${whole}, '${offset}$'), '^ ', '') AS TIMESTAMPTZ)) END`
}

/** Adds expressions for `timeColumns` to a table, computed once per row. Computing them for each stored column took most of the time of an import. */
export function withMoments(table: string, cells: readonly string[]): string {
  if (cells.length === 0) return table
  const joined = (expression: (cell: string) => string) => cells.map(expression).join(', ')
  return `(SELECT *, ${joined((cell) => `CASE WHEN NOT ${cell}_written THEN ${plainMomentSql(cell)} END AS ${cell}_plain`)}
    FROM (SELECT *, ${joined((cell) => `${writtenOf(cell, `${cell}_z`, `${cell}_wall`)} AS ${cell}_written`)}
      FROM (SELECT *, ${joined((cell) => `${wallOf(cell, `${cell}_z`)} AS ${cell}_wall`)}
        FROM (SELECT *, ${joined((cell) => `${isInUtc(cell)} AS ${cell}_z`)} FROM ${table}))))`
}

/** SQL of the stored columns of a time, over a table from `withMoments`. */
export function timeColumns(cell: string, stored: string, how: ZonedTimeForm): string {
  const parts = timeParts(stored)
  return `CASE WHEN NOT ${cell}_written THEN ${otherMoment(cell, how)} WHEN ${cell}_z THEN ${cell}_wall
      ELSE ${cell}_wall - to_minutes(${minutesOf(offsetOf(cell))}) END AS ${parts.utc},
    CASE WHEN NOT ${cell}_written THEN NULL WHEN ${cell}_z THEN 'Z' ELSE ${offsetOf(cell)} END AS ${parts.offset},
    CASE WHEN NOT ${cell}_written THEN ${cell} END AS ${parts.text}`
}

/** SQL of the stored columns of a time for a table without this column. */
export function noTime(stored: string): string {
  const { utc, offset, text } = timeParts(stored)
  return `NULL::TIMESTAMP AS ${utc}, NULL::VARCHAR AS ${offset}, NULL::VARCHAR AS ${text}`
}

/** SQL that restores the text of a time from its parts. */
export const timeText = (utc: string, written: string, text: string): string =>
  `CASE WHEN ${written} IS NULL THEN ${text} WHEN ${written} = 'Z' THEN strftime(${utc}, '%Y-%m-%dT%H:%M:%SZ')
    ELSE strftime(${utc} + to_minutes(${minutesOf(written)}), '%Y-%m-%dT%H:%M:%S') || ${written} END`

/** Offset of a zone in minutes east of UTC, from a time on (ms since 1970). The first is valid from -Infinity. */
export type Shift = { readonly from: number; readonly minutes: number }

const parts = new Map<string, Intl.DateTimeFormat>()

/** Offset of a zone at a time, in minutes east of UTC. */
function minutesEast(zone: string, moment: number): number {
  const format =
    parts.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      },
    })
  parts.set(zone, format)
  const read = Object.fromEntries(
    format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = read
  const wall = Date.UTC(year, month - 1, day, hour, minute, second)
  return Math.round((wall - Math.floor(moment / 1000) * 1000) / 60_000)
}

const dayLong = 86_400_000

/** Years of longer spans whose offsets are computed. A cell of the year 9999 would add thousands of offsets to every statement. */
const exactYears = { first: Date.UTC(1970), last: Date.UTC(2050) } as const

/** Returns the offsets of a zone between two times. In a span of more than 80 years, times before 1970 and after 2050 have the nearest offset. */
export function shiftsOf(zone: string, first: number, last: number): readonly Shift[] {
  const isLong = last - first > exactYears.last - exactYears.first
  const begin = isLong ? Math.max(first, exactYears.first) : first
  const end = isLong ? Math.min(last, exactYears.last) : last
  const shifts: Shift[] = [{ from: -Infinity, minutes: minutesEast(zone, begin) }]
  for (let moment = begin; moment < end; moment += dayLong) {
    const next = Math.min(moment + dayLong, end)
    const minutes = minutesEast(zone, next)
    if (minutes === shifts.at(-1)?.minutes) continue
    let [before, after] = [moment, next]
    while (after - before > 1) {
      const between = Math.floor((before + after) / 2)
      if (minutesEast(zone, between) === minutes) after = between
      else before = between
    }
    shifts.push({ from: after, minutes })
  }
  return shifts
}

/** SQL of the wall time in a zone. */
export function wallTime(utc: string, shifts: readonly Shift[]): string {
  const cases = shifts
    .slice(1)
    .toReversed()
    .map(({ from, minutes }) => `WHEN epoch_ms(${utc}) >= ${from} THEN ${minutes}`)
  const [{ minutes = 0 } = {}] = shifts
  if (cases.length === 0 && minutes === 0) return utc
  return `(${utc} + to_minutes(${cases.length > 0 ? `CASE ${cases.join(' ')} ELSE ${minutes} END` : minutes}))`
}

/**
 * Returns the first time at which a zone's clocks show `wall`, which is encoded as if in UTC. A wall time that the clocks skip, as midnight
 * in Santiago or a whole day in Apia, becomes the time at which they skip it.
 */
export function momentOf(wall: number, zone: string): number {
  const shifts = shiftsOf(zone, wall - 2 * dayLong, wall + 2 * dayLong)
  const nth = shifts.findIndex(
    ({ minutes }, place) => wall - minutes * 60_000 < (shifts[place + 1]?.from ?? Infinity),
  )
  const { from = -Infinity, minutes = 0 } = shifts[nth] ?? {}
  return Math.max(from, wall - minutes * 60_000)
}

/**
 * Quotes a column name. Only names that the app generated are accepted: headers and texts are bound.
 * @throws RangeError for other names
 */
export function quoted(name: string): string {
  if (!storedName.test(name)) throw new RangeError('No name of a column of ours')
  return `"${name}"`
}
