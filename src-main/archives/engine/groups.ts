import type { RowsGroups, RowsHistogram, GroupKey, GroupSort } from '#shared/archives/rows.ts'
import { badResults } from '#shared/archives/rows.ts'
import { byCodePoints } from '#shared/values/text.ts'
import { listedRanges, makeBlockList, readCandidates, writeBlockList } from '#shared/archives/block-list.ts'
import type { Candidate, MadeList, ReadCandidates } from '#shared/archives/block-list.ts'
import { parseNetwork } from '#shared/archives/network.ts'
import type { Bind } from '#main/analytics/statement.ts'
import type { BlockListParams, GroupsParams, RowsInZone, DayCount, HistogramParams } from './rows-engine.ts'
import { clickIdSql, folded } from './relation.ts'
import type { Remembered } from './rows-pages.ts'
import { countFrom, searchableSql, textFrom } from '#main/analytics/statement.ts'
import { BoundQuery, shiftsOver } from './bound-query.ts'
import type { Reading } from './bound-query.ts'
import { wallTime, momentOf } from './time.ts'
import type { Shift } from './time.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant } from '#shared/values/ids.ts'

const hourLong = 3_600_000
const dayLong = 24 * hourLong

/** Maximum length of a series. Later points are dropped. */
const maxMoments = 400

/** Maximum number of groups whose series are all computed. That is faster than filtering rows by the groups shown. */
const fewGroups = 20_000

/** Maximum number of distinct results. A table that is not a raw report may have any number. */
const maxResults = 20

/** SQL of a group key. `text` is computed after grouping, which is cheaper. `merged` unifies groups that are spelled differently. */
type KeySql = {
  readonly group: string
  readonly merged: (grouped: string) => string
  readonly text: (grouped: string) => string
}

export function keySql({ column, by }: GroupKey, { relation }: BoundQuery, shifts: readonly Shift[]): KeySql {
  const { value, utc } = relation.slot(column)
  const filled = (grouped: string) => `coalesce(${grouped}, '')`
  const same = (grouped: string) => grouped
  const moment = utc ?? 'NULL::TIMESTAMP'
  switch (by) {
    case 'value':
      // Composed and decomposed letters are the same text (Unicode Standard Annex 15).
      return { group: value, merged: (grouped) => `nfc_normalize(${grouped})`, text: filled }
    case 'network':
      return { group: `network_of(${value})`, merged: same, text: filled }
    case 'click-id':
      return { group: clickIdSql(value), merged: same, text: filled }
    case 'day': {
      // A cast to a date is cheaper than truncating a timestamp.
      const group = `CAST(${wallTime(moment, shifts)} AS DATE)`
      return { group, merged: same, text: (grouped) => filled(`strftime(${grouped}, '%Y-%m-%d')`) }
    }
    case 'hour':
      return { ...hourSql(moment, shifts), merged: same }
  }
}

/** Hours of a zone. A repeated hour is two hours with different offsets: `2026-10-25 02 +02:00`. */
function hourSql(utc: string, shifts: readonly Shift[]): Pick<KeySql, 'group' | 'text'> {
  const hour = `date_trunc('hour', ${wallTime(utc, shifts)})`
  const repeated = shifts.flatMap(({ from, minutes }, nth) => {
    const before = shifts[nth - 1]?.minutes ?? minutes
    return minutes < before ? [{ from, before, minutes }] : []
  })
  const plain = (grouped: string) => `strftime(${grouped}, '%Y-%m-%d %H')`
  if (repeated.length === 0) return { group: hour, text: (grouped) => `coalesce(${plain(grouped)}, '')` }
  // A microsecond marks the repetition: no other hour begins with one.
  const again = repeated.map(
    ({ from, before, minutes }) =>
      `epoch_ms(${utc}) >= ${from} AND epoch_ms(${utc}) < ${Math.ceil((from + before * 60_000) / hourLong) * hourLong - minutes * 60_000}`,
  )
  const offsets = repeated.flatMap(({ from, before, minutes }) => {
    // A shift within an hour, as in Chatham, touches one hour more than it is long.
    const first = Math.floor((from + minutes * 60_000) / hourLong) * hourLong
    const hours = Math.ceil((from + before * 60_000 - first) / hourLong)
    return Array.from({ length: hours }, (_, nth) => {
      const wall = `make_timestamp(${(first + nth * hourLong) * 1000}::BIGINT)`
      return { wall, before: offsetText(before), minutes: offsetText(minutes) }
    })
  })
  return {
    group: `${hour} + to_microseconds(CASE WHEN ${again.join(' OR ')} THEN 1 ELSE 0 END)`,
    text: (grouped) => `coalesce(${plain(grouped)} || CASE ${grouped}
      ${offsets.map(({ wall, before, minutes }) => `WHEN ${wall} THEN ' ${before}' WHEN ${wall} + to_microseconds(1) THEN ' ${minutes}'`).join(' ')}
      ELSE '' END, '')`,
  }
}

/** SQL of a row's time; NULL without times. */
function utcOf({ relation }: BoundQuery): string {
  const { time } = relation
  return (time === undefined ? null : relation.slot(time).utc) ?? 'NULL::TIMESTAMP'
}

/** Formats an offset, as in `+01:00`. */
function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}

/**
 * SQL that counts rows by key: key `g`, rows `n`, bad rows `b` (NULL without results), first and last time `f` and `l` in
 * ms (NULL without times). Each row is read once.
 */
export function countedBy({ column, by }: GroupKey, { group }: KeySql, query: BoundQuery): string {
  const isBad = query.bad()
  // Addresses are counted first, so that the range is computed per address, not per row.
  const plain = by === 'network' ? query.relation.slot(column).value : group
  const bad = isBad === undefined ? 'NULL::BIGINT' : `count(*) FILTER (${isBad})`
  const utc = utcOf(query)
  const counted = `SELECT ${plain} AS g, count(*) AS n, ${bad} AS b, epoch_ms(min(${utc})) AS f, epoch_ms(max(${utc})) AS l
    FROM ${query.found()} GROUP BY 1`
  return by === 'network'
    ? `SELECT network_of(g) AS g, sum(n) AS n, sum(b) AS b, min(f) AS f, max(l) AS l FROM (${counted}) GROUP BY 1`
    : counted
}

/** Maximum number of candidates read for a block list. */
const maxCandidates = 400_000

type Counted = ReadCandidates & {
  readonly total: number
  readonly taken: number
  readonly last: number | null
}

/** Makes a block list. The counts are cached and reused for other limits. */
export async function blockListFrom(
  { files, conditions, sort, zone, key, wish }: BlockListParams,
  reading: Reading,
  known: Remembered<Counted>,
  watch: (percentage: number) => void,
): Promise<MadeList> {
  const query = new BoundQuery(files, conditions, reading)
  const counted = await known.get(
    { files, conditions, sort },
    async () => {
      const grouped = countedBy(key, keySql(key, query, []), query)
      const [ranges = [], rows = [], bad = [], firsts = [], lasts = [], totals = []] = await query.columns(
        `SELECT g, n::DOUBLE, b::DOUBLE, f::DOUBLE, l::DOUBLE, (count(*) OVER ())::DOUBLE FROM (${grouped})
          ORDER BY coalesce(b, n) DESC, n, g LIMIT ${maxCandidates}`,
        watch,
      )
      const candidates = ranges.map((range, nth): Candidate => ({
        range: textFrom(range),
        ...{ rows: Number(rows[nth]), bad: bad[nth] === null ? null : Number(bad[nth]) },
        seen:
          firsts[nth] === null
            ? null
            : { first: instantOf(Number(firsts[nth])), last: instantOf(Number(lasts[nth])) },
      }))
      const [total, taken] = [Number(totals[0] ?? 0), candidates.length]
      return { ...readCandidates(candidates), total, taken, last: candidates.at(-1)?.bad ?? null }
    },
    key,
  )
  const read = (texts: readonly string[]) => texts.flatMap((text) => parseNetwork(text) ?? [])
  const list = makeBlockList(counted, {
    ...wish,
    ...{ allowed: read(wish.allowed), exported: read(wish.exported), expired: read(wish.expired) },
  })
  // Candidates that were not read have at most as many bad rows as the last one.
  const isWhole = counted.last !== null && counted.last < wish.minBad
  return {
    ...{ text: writeBlockList(list, wish.format, zone), ranges: listedRanges(list) },
    ...{ entries: list.entries.length, blocked: list.blocked, leftOut: list.leftOut },
    more: isWhole ? 0 : counted.total - counted.taken,
  }
}

/** Groups rows, and counts them by result and over time. */
export async function groupsFrom(
  request: GroupsParams,
  reading: Reading,
  known: Remembered<readonly string[]>,
): Promise<RowsGroups> {
  const results = await known.get(request, () => resultsOf(request, reading))
  const query = new BoundQuery(request.files, request.conditions, reading)
  const { bind } = query.statement
  const shifts = shiftsOver(request.files, request.zone)
  const keys = request.by.map((key) => keySql(key, query, shifts))
  const judged = query.relation.standard('result') !== undefined
  // Rows are counted by result first and then pivoted, so that each row is read once.
  const inner = [...keys.map(({ group }, nth) => `${group} AS g${nth}`), `${query.result()} AS result`]
  const byResult = `SELECT ${inner.join(', ')}, count(*) AS n FROM ${query.found()} GROUP BY ALL`
  const sumOf = (which: string) => `coalesce(sum(n) FILTER (${which}), 0)`
  const counts = results.map((result, nth) => `${sumOf(`result = ${bind(result)}`)} AS c${nth}`)
  const bad = judged ? sumOf(`result IN (${badResults.map(bind).join(', ')})`) : 'NULL'
  const grouped = `SELECT ${[...keys.map(({ merged }, nth) => `${merged(`g${nth}`)} AS g${nth}`), 'sum(n) AS n', `${bad} AS b`, ...counts].join(', ')}
    FROM (${byResult}) GROUP BY ${keys.map((_, nth) => nth + 1).join(', ')}`
  const texts = keys.map(({ text }, nth) => `${text(`g${nth}`)} AS t${nth}`)
  const named = keys.map((_, nth) => `t${nth}`)
  const shown = `SELECT ${[...texts, 'n', 'b', ...results.map((_, nth) => `c${nth}`)].join(', ')} FROM (${grouped})`
  const searched =
    request.search === ''
      ? 'true'
      : `(${named.map((value) => contains(value, request.search, bind)).join(' OR ')})`
  const found = `FROM (${shown}) WHERE ${searched}`
  const read = await query.rows(
    `SELECT *, count(*) OVER () ${found} ORDER BY ${orderOf(request.groupSort, results, named)} LIMIT ${request.limit} OFFSET ${request.offset}`,
  )
  const total =
    read.length > 0 || request.offset === 0
      ? countFrom(read[0]?.at(-1))
      : countFrom((await query.rows(`SELECT count(*) ${found}`))[0]?.[0])
  const groups = read.map((row) => ({
    keys: keys.map((_, nth) => textFrom(row[nth])),
    rows: countFrom(row[keys.length]),
    bad: judged ? countFrom(row[keys.length + 1]) : null,
    counts: results.map((_, nth) => countFrom(row[keys.length + 2 + nth])),
  }))
  const { moments, series } = await seriesOf(
    request,
    { groups: groups.map((group) => group.keys), total },
    shifts,
    reading,
  )
  return {
    results,
    total,
    moments,
    groups: groups.map((group, nth) => ({ ...group, series: series[nth] ?? [] })),
  }
}

const contains = (text: string, value: string, bind: Bind) =>
  `contains(${folded(searchableSql(text, value))}, ${folded(bind(value))})`

async function resultsOf({ files, conditions }: GroupsParams, reading: Reading): Promise<string[]> {
  const query = new BoundQuery(files, conditions, reading)
  if (query.relation.standard('result') === undefined) return []
  const read = await query.rows(
    `SELECT ${query.result()} AS result, count(*) AS n FROM ${query.found()} GROUP BY ALL ORDER BY n DESC, result LIMIT ${maxResults}`,
  )
  return read.map(([result]) => textFrom(result)).sort(byCodePoints)
}

function orderOf({ by, direction }: GroupSort, results: readonly string[], named: readonly string[]): string {
  const ways = direction === 'asc' ? 'ASC' : 'DESC'
  const byName = named.map((value) => `${value} ASC`).join(', ')
  switch (by.kind) {
    case 'rows':
      return `n ${ways}, ${byName}`
    case 'bad':
      return `b ${ways} NULLS LAST, n DESC, ${byName}`
    case 'bad-share':
      return `b / n ${ways} NULLS LAST, n DESC, ${byName}`
    case 'result': {
      const place = results.indexOf(by.result)
      return place < 0 ? `n ${ways}, ${byName}` : `c${place} ${ways}, n DESC, ${byName}`
    }
    case 'key':
      return `${named[by.place] ?? named[0] ?? 'n'} ${ways}, ${byName}`
  }
}

/** Counts rows of groups per day, or per hour for at most two days. */
async function seriesOf(
  { files, conditions, by }: GroupsParams,
  { groups, total }: { readonly groups: readonly (readonly string[])[]; readonly total: number },
  shifts: readonly Shift[],
  reading: Reading,
): Promise<{ readonly moments: readonly string[]; readonly series: readonly (readonly number[])[] }> {
  const query = new BoundQuery(files, conditions, reading)
  const { time } = query.relation
  const moments = momentsOf(files, shifts)
  if (time === undefined || groups.length === 0 || moments.length === 0) return { moments: [], series: [] }
  const { bind } = query.statement
  const unit = moments[0]?.length === 10 ? 'day' : 'hour'
  const keys = by.map((key) => keySql(key, query, shifts))
  const moment = keySql({ column: time, by: unit }, query, shifts)
  // With many groups, rows of other groups are filtered out before grouping, as far as each key can decide.
  const isShown = ({ group, merged, text }: KeySql, nth: number) =>
    `${text(merged(group))} IN (${[...new Set(groups.map((items) => items[nth] ?? ''))].map(bind).join(', ')})`
  const found = [query.found(), ...(total > fewGroups ? keys.map(isShown) : [])].join(' AND ')
  const selected = [...keys, moment].map(({ group }, nth) => `${group} AS g${nth}`)
  const texts = [...keys, moment].map(({ merged, text }, nth) => `${text(merged(`g${nth}`))} AS t${nth}`)
  // A join: the engine would push a condition down to the file and test it for each row.
  const named = keys.map((_, nth) => `t${nth}`).join(', ')
  const shown = groups.map((group) => `(${group.map(bind).join(', ')})`).join(', ')
  const read =
    await query.rows(`SELECT * FROM (SELECT ${texts.join(', ')}, n FROM (SELECT ${selected.join(', ')}, count(*) AS n FROM ${found} GROUP BY ALL))
      SEMI JOIN (VALUES ${shown}) AS shown(${named}) USING (${named})`)
  const places = new Map(moments.map((value, nth) => [value, nth]))
  const series = new Map(groups.map((group) => [JSON.stringify(group), moments.map(() => 0)]))
  for (const row of read) {
    const name = JSON.stringify(row.slice(0, by.length).map(textFrom))
    // A repeated hour has one place.
    const place = places.get(textFrom(row[by.length]).slice(0, unit === 'day' ? 10 : 13))
    const own = series.get(name)
    if (own && place !== undefined) own[place] = (own[place] ?? 0) + countFrom(row[by.length + 1])
  }
  return { moments, series: groups.map((group) => series.get(JSON.stringify(group)) ?? []) }
}

/** Days of files in a zone, or hours for at most two days. */
function momentsOf(files: GroupsParams['files'], shifts: readonly Shift[]): string[] {
  const ends = files.flatMap(({ first, last }) => (first === null || last === null ? [] : [first, last]))
  if (ends.length === 0) return []
  const [start, end] = [ends.reduce((a, b) => (a < b ? a : b)), ends.reduce((a, b) => (a > b ? a : b))].map(
    (moment) => wallOf(moment, shifts),
  )
  if (start === undefined || end === undefined) return []
  const long = end - start <= 2 * dayLong ? hourLong : dayLong
  const letters = long === dayLong ? 10 : 13
  const moments: string[] = []
  for (let time = Math.floor(start / long) * long; time <= end && moments.length < maxMoments; time += long)
    moments.push(new Date(time).toISOString().slice(0, letters).replace('T', ' '))
  return moments
}

const wallOf = (moment: number, shifts: readonly Shift[]): number =>
  moment + (shifts.findLast(({ from }) => from <= moment)?.minutes ?? 0) * 60_000

/** Counts rows by hour or day and by result. A repeated hour is two bars. */
export async function histogramFrom(request: HistogramParams, reading: Reading): Promise<RowsHistogram> {
  const { files, conditions, by, zone } = request
  const query = new BoundQuery(files, conditions, reading)
  const utc = utcOf(query)
  const shifts = shiftsOver(files, zone)
  const wall = wallTime(utc, shifts)
  const shift = by === 'hour' ? `epoch_ms(${wall}) - epoch_ms(${utc})` : '0'
  const counted =
    await query.rows(`SELECT epoch_ms(date_trunc('${by}', ${wall})) AS unit, ${shift} AS shift, ${query.result()} AS result, count(*)
      FROM ${query.found()} GROUP BY ALL ORDER BY unit, shift DESC`)
  const results = [...new Set(counted.map(([, , result]) => textFrom(result)))].sort(byCodePoints)
  const bars = new Map<string, { from: Instant; to: Instant; counts: number[] }>()
  let untimed = 0
  for (const [unit, shifted, result, rows] of counted) {
    if (unit === null || unit === undefined) {
      untimed += countFrom(rows)
      continue
    }
    const start = Number(unit)
    const [from, to] =
      by === 'hour'
        ? hourWith(Number(shifted), start, shifts)
        : [momentOf(start, zone), momentOf(start + dayLong, zone)]
    const bar = bars.get(String(from)) ?? {
      from: instantOf(from),
      to: instantOf(to),
      counts: results.map(() => 0),
    }
    bar.counts[results.indexOf(textFrom(result))] = countFrom(rows)
    bars.set(String(from), bar)
  }
  return { zone, results, bars: [...bars.values()].sort((a, b) => a.from - b.from), untimed }
}

/** Returns the time while clocks show an hour with an offset in ms: less than an hour if they change within the hour. */
function hourWith(offset: number, wall: number, shifts: readonly Shift[]): readonly [number, number] {
  const [from, to] = [wall - offset, wall - offset + hourLong]
  const ends = shifts.map((shift, nth) => ({ ...shift, to: shifts[nth + 1]?.from ?? Infinity }))
  const during = ends.find((shift) => shift.minutes * 60_000 === offset && shift.from < to && shift.to > from)
  return [Math.max(from, during?.from ?? from), Math.min(to, during?.to ?? to)]
}

/** Counts rows by day of a zone and by result. Rows without a time have an empty day. */
export async function daysFrom(
  { files, conditions, zone }: RowsInZone,
  reading: Reading,
): Promise<readonly DayCount[]> {
  const query = new BoundQuery(files, conditions, reading)
  const utc = utcOf(query)
  const counted =
    await query.rows(`SELECT strftime(day, '%Y-%m-%d'), result, rows FROM (SELECT date_trunc('day', ${wallTime(utc, shiftsOver(files, zone))})
      AS day, ${query.result()} AS result, count(*) AS rows FROM ${query.found()} GROUP BY ALL) ORDER BY ALL`)
  return counted.map(([day, result, rows]) => ({
    day: textFrom(day),
    result: textFrom(result),
    rows: countFrom(rows),
  }))
}
