import { afterAll, describe, expect, it } from 'vitest'
import { addDays, day, daysOf } from '#shared/values/day.ts'
import type { JudgeParams } from '#main/reports/engine/table-calls.ts'
import type { JudgeTask } from '#main/watch/judging/task.ts'
import { engineForAll } from './engine-thread.ts'
import { Asking, dayOf, figuresOf, instance } from './tables.ts'
import type { Day, Row } from './tables.ts'

const { engine, end } = engineForAll()
afterAll(end)
const asking = new Asking(engine)

const first = day('2026-11-01')
const range = { start: first, end: day('2026-11-10') }
const today = addDays(range.end, 1)
const rule = {
  ...{ measure: 'bad-rate', condition: { kind: 'above', value: 20 }, leastRequests: 0, leastChange: 0 },
  weekdays: [1, 2, 3, 4, 5, 6, 7],
} as const satisfies JudgeTask['rule']

/** Requests and suspect ones by browser. */
const browsers = (on: string, counts: Readonly<Record<string, readonly [number | null, number | null]>>) =>
  dayOf(on, {
    rows: Object.entries(counts).map(([label, [requests, bad]]): Row => [label, requests, 0, bad, 0]),
  })

async function judged(
  days: readonly Day[],
  how: {
    readonly rule?: JudgeTask['rule']
    readonly whole?: boolean
    readonly row?: string
    readonly leftOut?: JudgeTask['leftOut']
  } = {},
) {
  const [answer] = await judgedTogether(days, [{ rule, row: null, ...how }], how.whole)
  if (!answer) throw new Error('Nothing judged')
  return answer
}

/** Several tasks on the same tables. */
async function judgedTogether(
  days: readonly Day[],
  wanted: readonly (Pick<JudgeTask, 'rule' | 'row'> & Partial<Pick<JudgeTask, 'leftOut'>>)[],
  isWhole = true,
) {
  const tables = await asking.tables(days)
  const known = daysOf(range).map((each) => days.some(({ days: on }) => on === each))
  const params: Omit<JudgeParams, 'tasks'> = {
    ...{ tables, family: 'direct', header: 'Suspect', base: 'Requests' },
    days: {
      ...{ range, settlesAfter: 3, settled: known },
      whole: known.map((isKnown) => isKnown && isWhole),
    },
  }
  const tasks = wanted.map(({ rule: watched, row, leftOut = { every: [], rows: [] } }): JudgeTask => ({
    ...{ kind: 'mornings', rule: watched, row, leftOut, today, episodes: [], since: addDays(first, 2) },
  }))
  const answers = figuresOf(await asking.engine.call('judge', { ...params, tasks }))
  return answers.map((answer) => {
    if (answer.kind !== 'mornings') throw new Error('Not mornings')
    return answer
  })
}

const newsOf = ({ mornings }: Awaited<ReturnType<typeof judged>>) =>
  mornings.flatMap(({ morning, news }) =>
    news.map(({ labels, texts, from, usual, now }) => ({ morning, labels, texts, from, usual, now })),
  )

describe('rows that are judged in the engine', () => {
  it('are read by day, whatever their order and the days that are missing', async () => {
    const found = await judged([
      browsers('2026-11-10', { B: [100, 10], A: [100, 30] }),
      browsers('2026-11-02', { A: [100, 5], B: [50, 5] }),
    ])
    expect(newsOf(found)).toEqual([
      {
        ...{ morning: '2026-11-11', labels: ['text A'], texts: ['A'], from: '2026-11-10' },
        ...{ usual: 20, now: 30 },
      },
    ])
    expect(found.mornings.map(({ morning }) => morning)).toHaveLength(9)
  })

  it('can be one row alone', async () => {
    const days = [browsers('2026-11-10', { A: [100, 30], B: [100, 40] })]
    expect(newsOf(await judged(days, { row: 'text B' }))).toMatchObject([{ labels: ['text B'], now: 40 }])
    expect(newsOf(await judged(days, { row: 'text C' }))).toEqual([])
  })

  it('are read once for several tasks, each of which judges its own', async () => {
    const days = [browsers('2026-11-10', { A: [100, 30], B: [50, 20], C: [10, 1] })]
    const above5 = { ...rule, condition: { kind: 'above', value: 5 } } as const
    const answers = await judgedTogether(days, [
      { rule, row: null },
      { rule: above5, row: 'text C' },
      { rule: above5, row: null },
      { rule, row: 'text C' },
    ])
    const labels = answers.map((answer) => newsOf(answer).map((each) => each.labels.join(' ')))
    expect(labels).toEqual([['text A', 'text B'], ['text C'], ['text A', 'text B', 'text C'], []])
  })

  it('include one of an alert of its own beyond the largest, which those of all rows do not have', async () => {
    const many = Array.from({ length: 3000 }, (_, nth): Row => [`row-${nth}`, 1000, 0, 0, 0])
    const days = [dayOf('2026-11-10', { rows: [...many, ['small', 10, 0, 9, 0]], perPage: 4000 })]
    const [every, small] = await judgedTogether(days, [
      { rule, row: null },
      { rule, row: 'text small' },
    ])
    expect(every && newsOf(every)).toEqual([])
    expect(small && newsOf(small)).toMatchObject([{ labels: ['text small'], now: 90 }])
  })

  it('had no requests on a whole day without them, and are unknown on any other', async () => {
    const below = { ...rule, measure: 'requests', condition: { kind: 'below', value: 50 } } as const
    const days = [
      browsers('2026-11-09', { A: [100, 30], B: [100, 3] }),
      browsers('2026-11-10', { A: [100, 3] }),
    ]
    expect(newsOf(await judged(days, { rule: below }))).toMatchObject([
      { labels: ['text B'], from: '2026-11-10', now: 0, usual: 50 },
    ])
    expect(newsOf(await judged(days, { rule: below, whole: false }))).toEqual([])
  })

  it('are not judged by a count that is unknown', async () => {
    expect(newsOf(await judged([browsers('2026-11-10', { A: [100, null], B: [null, 5] })]))).toEqual([])
    const without = dayOf('2026-11-10', { headers: ['Browser', 'Requests'], rows: [['A', 100]] })
    expect(newsOf(await judged([without]))).toEqual([])
  })

  it('are compared without the days that notes leave out, of every row or of one', async () => {
    const rose = { ...rule, condition: { kind: 'rose', percent: 50, days: 7 } } as const
    const days = daysOf(range).map((on, nth) =>
      browsers(on, { A: [100, nth > 5 && nth < 9 ? 0 : 10], B: [100, nth > 5 && nth < 9 ? 0 : 10] }),
    )
    const noted = { start: day('2026-11-07'), end: day('2026-11-09') }
    const told = async (leftOut: JudgeTask['leftOut']) =>
      newsOf(await judged(days, { rule: rose, leftOut })).flatMap(({ labels }) => labels)
    expect(await told({ every: [], rows: [] })).toEqual(['text A', 'text B'])
    expect(await told({ every: [], rows: [{ key: 'text B', range: noted }] })).toEqual(['text A'])
    expect(await told({ every: [noted], rows: [] })).toEqual([])
  })

  it('are the same instance where it was renamed', async () => {
    const headers = ['Instance', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile']
    const on = (days: string, name: string, bad: number) =>
      dayOf(days, { headers, rows: [[instance('7', name), 100, 0, bad, 0]] })
    const found = await judged([on('2026-11-09', 'Old', 30), on('2026-11-10', 'New', 30)])
    expect(newsOf(found)).toMatchObject([{ labels: ['instance 7'], from: '2026-11-09' }])
    expect(newsOf(found)[0]?.texts[0]).toContain('New')
  })
})

describe('the rule sets of rows', () => {
  const headers = ['Browser', 'Requests', 'Suspect']
  const on = (days: string, codes: readonly string[], rows: Readonly<Record<string, readonly number[]>>) =>
    dayOf(days, {
      headers: [...headers, ...codes],
      rows: Object.entries(rows).map(([label, counts]): Row => [label, 1000, 100, ...counts]),
      all: [1000, 100, ...codes.map((_, nth) => 10 - nth)],
      subject: 'direct/browsers?rules=1',
    })
  /** A mix that turns on the last day: UE is half, and was a fifth. */
  const turning = daysOf({ start: day('2026-09-01'), end: range.end }).map((each) =>
    each === range.end
      ? on(each, ['UE', 'SP'], { A: [100, 100], B: [40, 160] })
      : on(each, ['SP', 'UE', 'ZZ'], { A: [158, 40, 2], B: [158, 40, 2] }),
  )
  const previewOf = async (row: string | null, code?: string, days = turning) => {
    const long = { start: day('2026-09-01'), end: range.end }
    const settled = daysOf(long).map(() => true)
    const mix = { ...rule, measure: 'rule-mix', condition: { kind: 'unusual' } } as const
    const leftOut = { every: [], rows: [] }
    const [answer] = figuresOf(
      await asking.engine.call('judge', {
        ...{ tables: await asking.tables(days), family: 'direct', header: 'Suspect', base: 'Requests' },
        days: { range: long, settlesAfter: 3, settled, whole: settled },
        tasks: [{ kind: 'preview', rule: mix, today, row, leftOut, ...(code !== undefined && { code }) }],
      }),
    )
    if (answer?.kind !== 'preview') throw new Error('No preview')
    return answer.preview
  }

  it('are judged by their share of all that a row broke, in whatever column they stand', async () => {
    const { tellings, told } = await previewOf(null)
    expect(told).toBe(1)
    expect(tellings).toMatchObject([{ day: range.end, label: 'A', rows: 1, rule: 'UE', now: 50 }])
    expect(tellings[0]?.usual).toBeCloseTo(20, 0)
  })

  it('are parts of a whole: what most of them share changes nothing that is usual', async () => {
    const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H']
    const rows = (counts: readonly number[]) => Object.fromEntries(names.map((name) => [name, counts]))
    const days = daysOf({ start: day('2026-09-01'), end: range.end }).map((each) =>
      on(each, ['SP', 'UE', 'ZZ'], rows(each === range.end ? [90, 100, 10] : [134, 40, 26])),
    )
    const { tellings } = await previewOf(null, undefined, days)
    expect(tellings).toHaveLength(8)
    for (const { rule: code, usual } of tellings) expect([code, Math.round(usual)]).toEqual(['UE', 20])
  })

  it('are zero on a day without their column, and have a band of their own', async () => {
    const { band, bandRule, bandLabel } = await previewOf('text A', 'ZZ')
    expect([bandRule, bandLabel]).toEqual(['ZZ', 'A'])
    expect(band.slice(-2).map(({ value }) => value)).toEqual([1, 0])
  })
})
