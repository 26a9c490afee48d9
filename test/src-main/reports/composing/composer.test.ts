import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Reports } from '#main/reports/reports.ts'
import { createEvents } from '#main/sandbox/events/events.ts'
import { fieldNamed, BAD, DROP, GOOD, NON_SUSPECT, SUSPECT, WARNING } from '#main/sandbox/events/columns.ts'
import { noWindows } from '#shared/accounts/account.ts'
import { labelText } from '#shared/reports/rows.ts'
import { otherLabel } from '#shared/reports/answer.ts'
import { answerKey, changeHeader, plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { firstId, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { sandboxDesk } from '../sandbox-desk.ts'

let running: RunningSandbox
const events = createEvents(7, day('2026-11-20'))
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.control('DELETE', '/faults')
  await running.behave({ windows: noWindows, charts: 'all', restated: [], filterCase: 'apart' })
})

/** Settled by the sandbox's last day, 20 November. */
const weeks: DayRange = { start: day('2026-10-20'), end: day('2026-11-16') }

const bySource = (family: Family, range = weeks): TableQuery => ({
  ...plainTable,
  family,
  dimension: 'sources',
  range,
  limit: 1000,
})

const resultsOf = {
  direct: { Requests: [NON_SUSPECT, SUSPECT], 'Non-Suspect': [NON_SUSPECT], Suspect: [SUSPECT] },
  script: {
    Requests: [DROP, GOOD, WARNING, BAD],
    Responses: [GOOD, WARNING, BAD],
    Good: [GOOD],
    Warning: [WARNING],
    Bad: [BAD],
  },
} as const

/** Counts read off the events themselves, by name and header. */
function counted(
  family: Family,
  range: DayRange,
  field: 'source' | 'campaign',
  only?: { source: string },
  restated: readonly Day[] = [],
) {
  const { first, end } = events.span(range)
  const judge = events.judge(restated)
  const { texts } = fieldNamed(field)
  const sources = fieldNamed('source').texts
  const counts = new Map<string, Record<string, number>>()
  for (let event = first; event < end; event += 1) {
    if (only && sources[events.columns.source[event] ?? -1] !== only.source) continue
    const name = texts[events.columns[field][event] ?? -1] ?? ''
    const result = judge.result(event)
    for (const [header, results] of Object.entries(resultsOf[family])) {
      if (!results.some((each: number) => each === result)) continue
      const row = counts.get(name) ?? {}
      row[header] = (row[header] ?? 0) + 1
      counts.set(name, row)
    }
  }
  return counts
}

/** The counts of an answer that events are counted for, nought left out. */
function rowsOf(answer: ReportAnswer, family: Family) {
  if (answer.kind !== 'table') throw new TypeError('not a table')
  const { headers, rows } = answer.figures.table
  return new Map(
    rows.map(({ label, cells }) => [
      labelText(label),
      Object.fromEntries(
        Object.keys(resultsOf[family]).flatMap((header) => {
          const cell = cells[headers.indexOf(header) - 1]
          return typeof cell === 'number' && cell !== 0 ? [[header, cell]] : []
        }),
      ),
    ]),
  )
}

const overviews = (calls: readonly string[]) => calls.filter((call) => call.includes('/overview '))
const lookups = (calls: readonly string[]) => calls.filter((call) => call.startsWith('interface/'))

describe.each(['script', 'direct'] as const)('%s by source over 28 days', (family) => {
  it('is what the events sum to, in one call for each source and one for the total', async () => {
    const { ask, calls } = await sandboxDesk(running)
    const answer = await ask(bySource(family), true)
    const expected = counted(family, weeks, 'source')
    expect(rowsOf(answer, family)).toEqual(expected)
    expect(answer.provenance).toMatchObject({ missing: [], failure: null, doubt: null })
    const made = calls()
    expect(overviews(made)).toHaveLength(expected.size + 1)
    expect(new Set(made).size).toBe(made.length)
  }, 60_000)

  it('answers any days of them without another call, also with the service gone', async () => {
    const { ask, calls, reports } = await sandboxDesk(running)
    await ask(bySource(family), true)
    calls()
    await running.fault({ path: null, times: null, does: { kind: 'reset' } })
    const week = { start: day('2026-11-03'), end: day('2026-11-09') }
    expect(rowsOf(await ask(bySource(family, week)), family)).toEqual(counted(family, week, 'source'))
    const header = family === 'script' ? 'Bad' : 'Suspect'
    const before = { start: addDays(week.start, -7), end: addDays(week.end, -7) }
    const moved = await reports.movers({
      ...{ account: firstId, query: bySource(family, week), before, header, max: 5, force: false },
    })
    const [now, then] = [counted(family, week, 'source'), counted(family, before, 'source')]
    for (const { label, now: count, before: earlier } of [...moved.up, ...moved.down]) {
      expect([count, earlier]).toEqual([
        now.get(labelText(label))?.[header] ?? 0,
        then.get(labelText(label))?.[header] ?? 0,
      ])
    }
    expect(moved.up.length + moved.down.length).toBeGreaterThan(3)
    expect(calls()).toEqual([])
  }, 60_000)

  it('is shown with the service gone where the days that it is sorted against are not saved', async () => {
    const { ask } = await sandboxDesk(running)
    await ask(bySource(family), true)
    await running.fault({ path: null, times: null, does: { kind: 'reset' } })
    const header = family === 'script' ? 'Bad' : 'Suspect'
    const before = { start: addDays(weeks.start, -28), end: addDays(weeks.start, -1) }
    const changed = { ...bySource(family), before }
    const answer = await ask({ ...changed, sort: [{ header: changeHeader(header), direction: 'desc' }] })
    expect(rowsOf(answer, family)).toEqual(counted(family, weeks, 'source'))
    expect(answer.provenance.missing).toEqual([])
    // A limit that cannot be checked shows nothing.
    const where = [{ header: changeHeader(header), is: 'at-least', value: 1 } as const]
    await expect(ask({ ...changed, where })).rejects.toThrow()
  }, 60_000)

  it('without a chart is of the days together', async () => {
    await running.behave({ charts: 'none' })
    const { ask, calls } = await sandboxDesk(running)
    const answer = await ask(bySource(family), true)
    expect(rowsOf(answer, family)).toEqual(counted(family, weeks, 'source'))
    expect(overviews(calls())).toHaveLength(counted(family, weeks, 'source').size + 1)
  }, 60_000)
})

it('limits campaigns to a source, and sources to a campaign', async () => {
  const { ask } = await sandboxDesk(running)
  const source = 'cheap-clicks'
  const query = { ...bySource('script'), dimension: 'campaigns', source } as const
  expect(rowsOf(await ask(query, true), 'script')).toEqual(counted('script', weeks, 'campaign', { source }))
  const one = await ask({ ...bySource('script'), source })
  expect([...rowsOf(one, 'script').keys()]).toEqual([source])
}, 60_000)

it('learns how many days an overview has, and asks piece by piece', async () => {
  await running.behave({ windows: { ...noWindows, overview: 7, lookups: 7 } })
  const { ask, account } = await sandboxDesk(running)
  expect(rowsOf(await ask(bySource('direct'), true), 'direct')).toEqual(counted('direct', weeks, 'source'))
  expect(account()).toMatchObject({ windows: { overview: 7 } })
}, 60_000)

describe('what it costs', () => {
  it('is said before it is spent; what is agreed to holds for these days, and for part of them', async () => {
    const { ask, calls } = await sandboxDesk(running)
    const query = bySource('script')
    const refused = await ask(query).catch((error: unknown) => error)
    const times = counted('script', weeks, 'source').size + 1
    expect(refused).toMatchObject({ failure: { kind: 'costly', cost: { calls: times, more: 0 } } })
    expect(overviews(calls())).toEqual([])
    await ask(query, true)
    const earlier = { start: day('2026-10-10'), end: day('2026-10-16') }
    calls()
    const again = await ask(bySource('script', earlier)).catch((error: unknown) => error)
    const fewer = counted('script', earlier, 'source').size + 1
    expect(again).toMatchObject({ failure: { kind: 'costly', cost: { calls: fewer, more: 0 } } })
    const longer = { ...weeks, start: earlier.start }
    const larger = await ask(bySource('script', longer))
    expect(larger.provenance.failure).toMatchObject({ kind: 'costly', cost: { calls: fewer } })
    expect(overviews(calls())).toEqual([])
    expect(rowsOf(await ask(bySource('script', earlier), true), 'script')).toEqual(
      counted('script', earlier, 'source'),
    )
  }, 60_000)

  describe('of what moved most', () => {
    const header = 'Bad'
    const range = { start: day('2026-11-13'), end: day('2026-11-19') }
    const before = { start: day('2026-11-06'), end: day('2026-11-12') }
    const query = bySource('script', range)
    const overviewOver = (days: DayRange) => ({
      ...{ kind: 'overview' as const, family: 'script' as const, range: days },
      ...{ instance: null, source: null, campaign: null, chart: true },
    })
    const moversOf = (reports: Reports, force: boolean) =>
      reports.movers({ account: firstId, query, before, header, max: 5, force })
    const names = (...ranges: readonly DayRange[]) =>
      ranges.reduce((sum, each) => sum + counted('script', each, 'source').size + 1, 0)

    it('is agreed to at once, though the totals on screen have grown too old meanwhile', async () => {
      const { ask, clock, reports } = await sandboxDesk(running)
      await ask(overviewOver(range))
      await ask(overviewOver(before))
      const refused = await moversOf(reports, false).catch((error: unknown) => error)
      expect(refused).toMatchObject({ failure: { kind: 'costly', cost: { calls: names(range, before) } } })
      clock.moved = 6 * 60_000
      expect((await moversOf(reports, true)).provenance).toMatchObject({ failure: null, missing: [] })
    }, 60_000)

    it('is that of the days that miss alone: those that are there are not asked for again', async () => {
      const { ask, calls, reports } = await sandboxDesk(running)
      await ask(query, true)
      const refused = await moversOf(reports, false).catch((error: unknown) => error)
      expect(refused).toMatchObject({ failure: { kind: 'costly', cost: { calls: names(before) } } })
      calls()
      expect((await moversOf(reports, true)).provenance).toMatchObject({ failure: null, missing: [] })
      expect(overviews(calls())).toHaveLength(names(before))
    }, 60_000)
  })

  it('stays within the limit for one look: the rest is in a row of its own, and another look goes on', async () => {
    const { ask, calls, until } = await sandboxDesk(running, { mostCalls: () => Promise.resolve(6) })
    const of = counted('script', weeks, 'source').size
    const first = await ask(bySource('script'), true)
    expect(overviews(calls())).toHaveLength(6)
    expect(first.provenance.composed).toEqual({ requested: 5, total: of, unit: 'sources' })
    const rows = rowsOf(first, 'script')
    expect(rows.size).toBe(6)
    const sum = [...rows.values()].reduce((all, row) => all + (row['Requests'] ?? 0), 0)
    expect(sum).toBe(
      [...counted('script', weeks, 'source').values()].reduce((all, row) => all + (row['Requests'] ?? 0), 0),
    )
    expect(rows.has(otherLabel)).toBe(true)
    const changed = until(`changed ${answerKey(bySource('script'))}`)
    await ask(bySource('script'), true)
    await changed
    // The total is known: all calls are for rows of their own.
    expect(overviews(calls())).toHaveLength(6)
    expect((await ask(bySource('script'))).provenance.composed).toEqual({
      requested: 11,
      total: of,
      unit: 'sources',
    })
  }, 60_000)
})

describe('given up, or failing in the middle', () => {
  it('keeps what has come, says how much that is, and never asks for it again', async () => {
    const folder = temporaryFolder()
    const { ask, cancel, until, calls, received } = await sandboxDesk(running, { folder })
    const query = bySource('direct')
    const of = counted('direct', weeks, 'source').size
    const waiting = ask(query, true)
    await until(`4 of ${of} sources`)
    cancel(query)
    const partial = await waiting
    expect(partial.provenance.failure).toMatchObject({ kind: 'cancelled' })
    const asked = partial.provenance.composed?.requested ?? 0
    expect(asked).toBeGreaterThanOrEqual(4)
    expect(asked).toBeLessThan(of)
    const rows = rowsOf(partial, 'direct')
    const expected = counted('direct', weeks, 'source')
    for (const [name, row] of rows) if (name !== otherLabel) expect(row).toEqual(expected.get(name))
    const before = overviews(calls())
    received()

    // Another start of the app.
    const again = await sandboxDesk(running, { folder })
    const shown = await again.ask(query)
    expect(rowsOf(shown, 'direct')).toEqual(rows)
    expect(again.calls()).toEqual([])
    const changed = again.until(`changed ${answerKey(query)}`)
    await again.ask(query, true)
    await changed
    const whole = await again.ask(query)
    expect(rowsOf(whole, 'direct')).toEqual(expected)
    expect(whole.provenance.composed).toBeUndefined()
    const after = overviews(again.calls())
    // Those that were on their way when it was given up are asked for anew.
    expect(after).toHaveLength(of - asked)
    expect(before.length + after.length).toBeLessThanOrEqual(of + 1 + 4)
  }, 60_000)

  it('shows what has come where the service fails in the middle', async () => {
    const { ask, until, calls } = await sandboxDesk(running)
    const query = bySource('script')
    const of = counted('script', weeks, 'source').size
    const waiting = ask(query, true)
    await until(`3 of ${of} sources`)
    await running.fault({ path: null, times: null, does: { kind: 'reset' } })
    const partial = await waiting
    expect(partial.provenance.failure).toMatchObject({ kind: 'offline' })
    expect(partial.provenance.composed?.requested).toBeGreaterThanOrEqual(3)
    expect(rowsOf(partial, 'script').has(otherLabel)).toBe(true)
    calls()
    await running.control('DELETE', '/faults')
  }, 60_000)
})

describe('asked for by hand', () => {
  it('is composed of all its days anew, settled or not', async () => {
    const { ask, calls, until } = await sandboxDesk(running)
    const query = bySource('script')
    await ask(query, true)
    const first = overviews(calls())
    await running.behave({ restated: [day('2026-10-21')] })
    const changed = until(`changed ${answerKey(query)}`)
    await ask(query, true)
    await changed
    expect(overviews(calls()).sort()).toEqual(first.sort())
    expect(rowsOf(await ask(query), 'script')).toEqual(
      counted('script', weeks, 'source', undefined, [day('2026-10-21')]),
    )
    expect(calls()).toEqual([])
  }, 60_000)

  it('is marked where its rows are beyond the total, and is whole again once they are not', async () => {
    const { ask, until } = await sandboxDesk(running)
    const query = bySource('script')
    // "search" counts what is of "Search", and the other way round.
    await running.behave({ filterCase: 'any' })
    expect((await ask(query, true)).provenance.doubt).toBe('rows-do-not-add-up')
    await running.behave({ filterCase: 'apart' })
    expect((await ask(query)).provenance.doubt).toBe('rows-do-not-add-up')
    const changed = until(`changed ${answerKey(query)}`)
    await ask(query, true)
    await changed
    const whole = await ask(query)
    expect(whole.provenance.doubt).toBeNull()
    expect(rowsOf(whole, 'script')).toEqual(counted('script', weeks, 'source'))
  }, 60_000)
})

it('asks for recent days alone, once they are too old', async () => {
  const { ask, calls, clock, until } = await sandboxDesk(running)
  const range = { start: day('2026-11-10'), end: day('2026-11-20') }
  const query = bySource('script', range)
  await ask(query, true)
  expect(lookups(calls())).toHaveLength(1)
  clock.moved += 5 * 60_000
  const changed = until(`changed ${answerKey(query)}`)
  expect((await ask(query)).provenance).toMatchObject({ refreshing: true })
  await changed
  const made = overviews(calls())
  expect(made.length).toBeGreaterThan(3)
  for (const call of made) expect(call).toContain('"start":"2026-11-18","end":"2026-11-20"')
}, 60_000)
