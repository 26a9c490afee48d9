import { describe, expect, it } from 'vitest'
import { dayWords, findingSections } from '#shared/texts/today.ts'
import { day } from '#shared/values/day.ts'
import type { TodayAccount, TodayFigures } from '#shared/watch/alerts.ts'
import { finding } from '#test/src-renderer/helpers/watched.ts'

const formats = {
  count: (value: number | null | undefined) => value?.toLocaleString('en-US') ?? '–',
  share: (value: number | null) => (value === null ? '–' : `${(value * 100).toFixed(1)}%`),
}
const figures: TodayFigures = {
  ...{ family: 'script', requests: 3000, bad: 210, rate: 7, soFar: true },
  usualRate: { usual: 5, low: 4, high: 6 },
  usualRequests: { usual: 5000.4, low: 4000, high: 6000 },
}
const item: TodayAccount = {
  ...{ account: finding(1).account, day: day('2026-11-19'), figures: [figures], hasAlerts: true },
  ...{ restated: [], inProgress: 0, expiring: [], standing: [], ended: [] },
}

describe('words of Today', () => {
  it('say where the figures of a day lie', () => {
    const at = (changes: Partial<TodayFigures>) => dayWords({ ...figures, ...changes }, formats)
    expect(at({})).toEqual({
      ...{ family: 'Script', watched: 'Bad' },
      rate: { shown: '7.0%', tone: 'worse', words: 'worse than usual', usual: 'Usually 5.0% (4.0% to 6.0%)' },
      requests: {
        ...{ shown: '3,000', tone: 'usual', words: 'fewer than usual' },
        usual: 'Usually 5,000 (4,000 to 6,000)',
      },
    })
    expect(at({ rate: 3 }).rate.tone).toBe('better')
    expect(at({ rate: 6 }).rate.words).toBe('as usual')
    expect(at({ requests: 7000 }).requests).toMatchObject({ tone: 'usual', words: 'more than usual' })
    expect(at({ rate: null }).rate).toMatchObject({ shown: '–', tone: 'unknown', words: 'no figure' })
    expect(at({ usualRate: null }).rate.words).toBe('not judged')
    expect(at({ family: 'direct' }).watched).toBe('Suspect')
  })

  it('list findings under the headings of the page, if there are any', () => {
    expect(findingSections(item)).toEqual([])
    const lists = findingSections({ ...item, standing: [finding(1)], ended: [finding(2)] })
    expect(lists.map(({ title, findings }) => [title, findings.map(({ id }) => id)])).toEqual([
      ['Open findings', [finding(1).id]],
      ['Recently ended', [finding(2).id]],
    ])
  })
})
