import type { RowsHistogram } from '#shared/archives/answers.ts'
import type { Instant } from '#shared/values/ids.ts'
import { byCodePoints } from '#shared/values/code-points.ts'
import type { RowsParams, DayCount, HistogramParams } from './calls.ts'
import { countFrom, Question, shiftsOver, textFrom } from './questions.ts'
import type { Reading } from './questions.ts'
import { momentOf, wallTime } from './zone.ts'

const long = { hour: 3_600_000, day: 86_400_000 }

/** Rows by hour or day and by result. An hour that a zone has twice is two bars. */
export async function histogramFrom(asked: HistogramParams, reading: Reading): Promise<RowsHistogram> {
  const { files, conditions, by, zone } = asked
  const question = new Question(files, conditions, reading.placeOf)
  const { time } = question.relation
  const utc = time === undefined ? 'NULL::TIMESTAMP' : (question.relation.slot(time).utc ?? 'NULL::TIMESTAMP')
  const wall = wallTime(utc, shiftsOver(files, zone))
  const shift = by === 'hour' ? `epoch_ms(${wall}) - epoch_ms(${utc})` : '0'
  const counted = await reading.rows(
    `SELECT epoch_ms(${wall}) // ${long[by]} AS unit, ${shift} AS shift, ${question.result()} AS result, count(*)
      FROM ${question.found()} GROUP BY ALL ORDER BY unit, shift DESC`,
    question.statement.bound,
  )
  const results = [...new Set(counted.map(([, , result]) => textFrom(result)))].sort(byCodePoints)
  const bars = new Map<string, { from: Instant; to: Instant; counts: number[] }>()
  let untimed = 0
  for (const [unit, shifted, result, rows] of counted) {
    if (unit === null || unit === undefined) {
      untimed += countFrom(rows)
      continue
    }
    const start = countFrom(unit) * long[by]
    const [from, to] =
      by === 'hour'
        ? [start - countFrom(shifted), start - countFrom(shifted) + long.hour]
        : [momentOf(start, zone), momentOf(start + long.day, zone)]
    const bar = bars.get(String(from)) ?? {
      from: from as Instant,
      to: to as Instant,
      counts: results.map(() => 0),
    }
    bar.counts[results.indexOf(textFrom(result))] = countFrom(rows)
    bars.set(String(from), bar)
  }
  return { zone, results, bars: [...bars.values()].sort((a, b) => a.from - b.from), untimed }
}

/** Rows by day of a zone and by result; rows without a moment stand under no day. */
export async function daysFrom(
  { files, conditions, zone }: RowsParams & { readonly zone: string },
  reading: Reading,
): Promise<readonly DayCount[]> {
  const question = new Question(files, conditions, reading.placeOf)
  const { time } = question.relation
  const utc = time === undefined ? 'NULL::TIMESTAMP' : (question.relation.slot(time).utc ?? 'NULL::TIMESTAMP')
  const counted = await reading.rows(
    `SELECT strftime(day, '%Y-%m-%d'), result, rows FROM (SELECT date_trunc('day', ${wallTime(utc, shiftsOver(files, zone))})
      AS day, ${question.result()} AS result, count(*) AS rows FROM ${question.found()} GROUP BY ALL) ORDER BY ALL`,
    question.statement.bound,
  )
  return counted.map(([day, result, rows]) => ({
    day: textFrom(day),
    result: textFrom(result),
    rows: countFrom(rows),
  }))
}
