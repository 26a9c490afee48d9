import { describe, expect, it } from 'vitest'
import { hosts } from '#main/sandbox/events/catalogue.ts'
import { generateEvents } from '#main/sandbox/events/generate.ts'
import { createEvents } from '#main/sandbox/events/events.ts'
import { eventRecords } from '#test/src-main/sandbox/events/event-records.ts'
import { rawStandardColumns, rawTypes } from '#shared/api/raw-columns.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'

const today = day('2026-11-20')
const events = createEvents(7, today)
const everyDay = { start: events.days[0] ?? today, end: today }
const wide = '4205' as InstanceId

describe('the events', () => {
  it('are the same for the same seed and day, and others for another seed', () => {
    expect(generateEvents(7, today).columns).toEqual(events.columns)
    expect(createEvents(8, today).columns.time).not.toEqual(events.columns.time)
  })

  it('cover 120 days up to noon of today, in order of time', () => {
    const { time } = events.columns
    expect(events.days).toHaveLength(120)
    expect(events.days.at(-1)).toBe(today)
    expect(time.every((each, index) => index === 0 || each >= (time[index - 1] ?? 0))).toBe(true)
    expect((time.at(-1) ?? 0) * 1000).toBeLessThan(Date.parse('2026-11-20T12:00:00Z'))
  })

  it.each([1, 7, 4_000_000_000])(
    'number between 250,000 and 450,000 with 50,000 wide hosts (seed %i)',
    (seed) => {
      const made = createEvents(seed, today)
      expect(made.columns.time.length).toBeGreaterThan(250_000)
      expect(made.columns.time.length).toBeLessThan(450_000)
      const met = new Set([...made.rows('response', wide, everyDay)].map((event) => made.columns.host[event]))
      expect(met.size).toBe(50_000)
      expect(new Set(hosts).size).toBe(50_000)
    },
  )

  it('fall in the span of their day, and in none before or after the days kept', () => {
    const one = { start: addDays(today, -3), end: addDays(today, -3) }
    const { first, end } = events.span(one)
    expect(end).toBeGreaterThan(first)
    expect(events.timestamp(first).slice(0, 10)).toBe(one.start)
    expect(events.timestamp(end - 1).slice(0, 10)).toBe(one.start)
    expect(events.timestamp(end).slice(0, 10)).toBe(addDays(one.start, 1))
    const none = [-400, 1].map((days) =>
      events.span({ start: addDays(today, days), end: addDays(today, days + 9) }),
    )
    expect(none.map((span) => span.end - span.first)).toEqual([0, 0])
  })

  it('have a wave of bad traffic from one source on some days', () => {
    const suspects = new Map<string, number>()
    for (const { day: on, source, result } of eventRecords(events)) {
      if (source === 'cheap-clicks' && result === 'bad') suspects.set(on, (suspects.get(on) ?? 0) + 1)
    }
    const counts = [...suspects.values()].sort((one, other) => one - other)
    const usual = counts[Math.floor(counts.length / 2)] ?? 0
    expect(counts.filter((count) => count > 5 * usual).length).toBeGreaterThan(3)
    expect(counts.filter((count) => count > 5 * usual).length).toBeLessThan(30)
  })
})

describe('raw rows', () => {
  const instance = '4189' as InstanceId
  const range = { start: addDays(today, -6), end: addDays(today, -6) }

  it.each(rawTypes)('of type %s give text for every standard and additional column', (type) => {
    const rows = [...events.rows(type, instance, range)]
    expect(rows.length).toBeGreaterThan(10)
    for (const column of [...rawStandardColumns[type], 1, 10]) {
      const values = rows.map((event) => events.value(type, column, event))
      expect(values.every((value) => typeof value === 'string' && value !== '(undefined)')).toBe(true)
      expect(values.some((value) => value !== '')).toBe(true)
    }
  })

  it('hold drops among requests and not among responses', () => {
    const results = [...events.rows('request', instance, range)].map((event) =>
      events.value('request', 'result', event),
    )
    const responses = [...events.rows('response', instance, range)]
    expect(new Set(results)).toEqual(new Set(['drops', 'with-responses']))
    expect(responses.length).toBe(results.filter((result) => result === 'with-responses').length)
  })

  it('read otherwise on a day that was restated, and only there', () => {
    const again = events.restated([range.start])
    const read = (rows: typeof again, on: typeof range) =>
      [...rows.rows('direct', instance, on)].map((event) => rows.value('direct', 'result', event))
    const other = { start: addDays(range.start, 1), end: addDays(range.start, 1) }
    expect(read(again, range)).not.toEqual(read(events, range))
    expect(read(again, other)).toEqual(read(events, other))
  })
})
