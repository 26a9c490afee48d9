/** From which moment on a zone lies so many minutes east of UTC; the first from the beginning of time. */
export type Shift = { readonly from: number; readonly minutes: number }

const parts = new Map<string, Intl.DateTimeFormat>()

/** How many minutes a zone lies east of UTC at a moment. */
export function minutesEast(zone: string, moment: number): number {
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

/** How a zone shifts between two moments. */
export function shiftsOf(zone: string, first: number, last: number): readonly Shift[] {
  const shifts: Shift[] = [{ from: -Infinity, minutes: minutesEast(zone, first) }]
  for (let at = first; at < last; at += dayLong) {
    const next = Math.min(at + dayLong, last)
    const minutes = minutesEast(zone, next)
    if (minutes === shifts.at(-1)?.minutes) continue
    let [before, after] = [at, next]
    while (after - before > 1) {
      const between = Math.floor((before + after) / 2)
      if (minutesEast(zone, between) === minutes) after = between
      else before = between
    }
    shifts.push({ from: after, minutes })
  }
  return shifts
}

/** The wall's time of a zone at a moment. */
export function wallTime(utc: string, shifts: readonly Shift[]): string {
  const cases = shifts
    .slice(1)
    .toReversed()
    .map(({ from, minutes }) => `WHEN epoch_ms(${utc}) >= ${from} THEN ${minutes}`)
  const [{ minutes = 0 } = {}] = shifts
  if (cases.length === 0 && minutes === 0) return utc
  return `(${utc} + to_minutes(${cases.length > 0 ? `CASE ${cases.join(' ')} ELSE ${minutes} END` : minutes}))`
}

/** The moment at which a zone's clocks show this time, counted as if it were UTC. */
export function momentOf(wall: number, zone: string): number {
  const guess = wall - minutesEast(zone, wall) * 60_000
  return wall - minutesEast(zone, guess) * 60_000
}
