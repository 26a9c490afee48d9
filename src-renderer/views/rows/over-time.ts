import type { RowsHistogram } from '#shared/archives/rows.ts'
import { count, share, shareOf } from '#renderer/components/formats.ts'
import type { Plot } from '#renderer/components/chart/plot.ts'
import { inOrder, looksOf } from '#renderer/components/chart/series.ts'
import type { Tip } from '#renderer/components/chart/tips.ts'
import { barInFull } from './conditions.ts'
import { resultWords } from '#shared/texts/archives.ts'

/** Maximum number of bars. Beyond it bars are thinner than a pixel, so gaps are not filled. */
const MAX_BARS = 2000

type Bar = RowsHistogram['bars'][number]

/** Returns all bars from the first to the last, including those without rows. */
export function barsOf({ bars, results }: RowsHistogram, by: 'day' | 'hour'): readonly Bar[] {
  const step = by === 'hour' ? 3_600_000 : 86_400_000
  const [first] = bars
  const last = bars.at(-1)
  if (!first || !last || (last.to - first.from) / step > MAX_BARS) return bars
  const counts = results.map(() => 0)
  return bars.flatMap((bar, place) => {
    const before = bars[place - 1]
    if (!before || before.to >= bar.from) return [bar]
    // Days differ in length, so the gap is divided evenly.
    const missing = Math.max(1, Math.round((bar.from - before.to) / step))
    const width = (bar.from - before.to) / missing
    const between = Array.from({ length: missing }, (_, nth): Bar => ({
      from: (before.to + nth * width) as Bar['from'],
      to: (before.to + (nth + 1) * width) as Bar['to'],
      counts,
    }))
    return [...between, bar]
  })
}

/** Plot of rows over time, with the results of each bar stacked. */
export function plotOfRows({ results }: RowsHistogram, bars: readonly Bar[]): Plot {
  const headers = results.map(resultWords)
  const looks = looksOf(headers)
  return {
    unit: 'count',
    stacked: true,
    sets: inOrder(headers).flatMap((header) => {
      const look = looks.get(header)
      const place = headers.indexOf(header)
      if (!look) return []
      const values = bars.map(({ counts }) => counts[place] ?? 0)
      return [{ header, ...look, time: 'now', mark: 'bar', stack: 'now', values }] as const
    }),
  }
}

export const rowsIn = ({ counts }: Bar): number => counts.reduce((sum, value) => sum + value, 0)

/** Tooltip of a bar and its results. Null if there is no bar at `index`. */
export function barTip(plot: Plot, bars: readonly Bar[], index: number, title: string): Tip | null {
  const bar = bars[index]
  if (!bar) return null
  const all = rowsIn(bar)
  return {
    title,
    against: null,
    base: null,
    lines: plot.sets.map(({ header, ink, shape, values }) => {
      const part = shareOf(values[index] ?? null, all)
      return {
        header,
        ink,
        shape,
        value: count(values[index]),
        share: part === null ? '' : share(part),
        before: null,
      }
    }),
  }
}

/** Describes a span of bars for screen readers: time, number of rows, and counts by result. */
export function spanWords(
  { results, zone }: RowsHistogram,
  bars: readonly Bar[],
  span: { readonly first: number; readonly last: number },
  by: 'day' | 'hour',
): string {
  const chosen = bars.slice(span.first, span.last + 1)
  const [first] = chosen
  const last = chosen.at(-1)
  if (!first || !last) return ''
  const when =
    first === last
      ? barInFull(first.from, first.to, by, zone)
      : `${barInFull(first.from, first.to, by, zone)} to ${barInFull(last.from, last.to, by, zone)}`
  const all = chosen.reduce((sum, bar) => sum + rowsIn(bar), 0)
  const parts = results.map((result, place) => {
    const rows = chosen.reduce((sum, { counts }) => sum + (counts[place] ?? 0), 0)
    return `${count(rows)} ${resultWords(result)}`
  })
  return `${when}: ${count(all)} rows${results.length > 1 ? `, ${parts.join(', ')}` : ''}`
}
