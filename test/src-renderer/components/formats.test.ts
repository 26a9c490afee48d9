import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  NOTHING,
  count,
  pointsBriefly,
  pointsInFull,
  rate,
  share,
  shareOf,
  shortCount,
  signedDaily,
  signedShare,
} from '#renderer/components/formats.ts'
import {
  cellText,
  columnsOf,
  countChange,
  cut,
  noRateWords,
  rateChange,
} from '#renderer/components/table/columns.ts'
import { changeOf } from '#shared/reports/change.ts'
import { labelText } from '#shared/reports/rows.ts'
import { daysOfFigure, figuresOf, requestsOf } from '#renderer/views/overview/figures.ts'
import { day } from '#shared/values/day.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const anyNumber = fc.oneof(fc.integer(), fc.double())

describe('figures', () => {
  it('are never NaN, infinite or null in words', () => {
    checkProperty(
      'figures',
      fc.property(fc.option(anyNumber), fc.option(anyNumber), (part, all) => {
        const words = [
          count(part),
          share(shareOf(part, all)),
          cellText(part, 'rate'),
          cellText(part, 'count'),
        ]
        for (const each of words) expect(each).not.toMatch(/NaN|∞|null|undefined/)
      }),
    )
  })

  it('are a dash where the service knows none, and zero where it counted none', () => {
    expect(count(null)).toBe(NOTHING)
    expect(count(undefined)).toBe(NOTHING)
    expect(count(0)).toBe('0')
    expect(cellText(null, 'rate')).toBe(NOTHING)
    expect(cellText(undefined, 'count')).toBe(NOTHING)
    expect(shareOf(null, 10)).toBeNull()
    expect(shareOf(3, 0)).toBeNull()
    expect(shareOf(0, 10)).toBe(0)
  })

  it('are grouped as the locale groups them', () => {
    expect(count(1234567)).toBe((1234567).toLocaleString())
    expect(shortCount(12_000)).toMatch(/12.?K/i)
  })

  it('show rates as percentages, sent as numbers or as text, and other text as it came', () => {
    expect(cellText(41.37, 'rate')).toBe(cellText('41.37', 'rate'))
    expect(cellText('41.37', 'rate')).toMatch(/^41.37\s?%$/)
    expect(cellText('n/a', 'rate')).toBe('n/a')
    expect(cellText('12', 'count')).toBe('12')
  })
})

describe('shares and changes', () => {
  const counts = fc.record({ part: fc.nat(1e6), more: fc.nat(1e6) })

  it('are all or nothing only where they are, wherever they are written', () => {
    checkProperty(
      'all or nothing',
      fc.property(counts, ({ part, more }) => {
        const all = part + more
        fc.pre(all > 0)
        const ofAll = shareOf(part, all)
        const words = [share(ofAll), rate((part * 100) / all), cellText((part * 100) / all, 'rate')]
        for (const each of words) {
          expect(/^0[.,]?0*\s?%$/.test(each)).toBe(part === 0)
          expect(/^100[.,]?0*\s?%$/.test(each)).toBe(more === 0)
        }
      }),
    )
  })

  it('have a sign where they are not nothing, and none where they are', () => {
    checkProperty(
      'signs',
      fc.property(counts, counts, (now, before) => {
        const [all, then] = [now.part + now.more, before.part + before.more]
        fc.pre(all > 0 && then > 0 && before.part > 0)
        const change = changeOf('Bad', { count: now.part, base: all }, { count: before.part, base: then })
        const { points, proportion, difference } = change
        const way = (value: number) => (value === 0 ? '' : value > 0 ? '+' : '-')
        const signOf = (words: string) => /^[+\-\u2212]?/.exec(words)?.[0].replace('\u2212', '-')
        for (const write of [pointsBriefly, pointsInFull]) {
          const words = write(points ?? NaN)
          expect(signOf(words)).toBe(way(points ?? NaN))
          expect(/[1-9]/.test(words)).toBe(points !== 0)
        }
        expect(signOf(signedShare(proportion))).toBe(way(proportion ?? NaN))
        expect(signOf(signedDaily((difference ?? NaN) / 30))).toBe(way(difference ?? NaN))
        // Colours are those of what is not rounded.
        const { tone } = rateChange(change, 'cards')
        expect(tone).toBe(points === 0 ? 'none' : (points ?? 0) > 0 ? 'worse' : 'better')
      }),
    )
  })

  it('of almost nothing are told as such', () => {
    const now = { count: 249_944, base: 249_950 }
    const change = changeOf('Good', now, { count: 249_945, base: 249_950 })
    expect(rateChange(change, 'beneath')).toEqual({ text: '-<0.01', tone: 'worse' })
    expect(rateChange(change, 'cards').text).toBe('-<0.1 points')
    expect(countChange(change).text).toBe('-1 (-<0.1%)')
    const same = changeOf('Good', now, { count: 2 * now.count, base: 2 * now.base })
    expect(rateChange(same, 'beneath')).toEqual({ text: '0.00', tone: 'none' })
  })

  it('that there are not are a dash with its reason', () => {
    const headers = ['Browser', 'Requests', 'Requests Rate', 'Bad', 'Bad Rate']
    const whyNot = (...cells: (number | null)[]) =>
      noRateWords({ cells }, 'Bad Rate', headers, (header) => (header === 'Requests' ? null : 'Requests'))
    expect(whyNot(0, null, 0, null)).toBe('No rate: no requests')
    expect(whyNot(null, null, 3, null)).toBe('No rate: requests not known')
    expect(whyNot(5, 100, -3, null)).toBe('No rate: below zero')
    expect(whyNot(5, 100, null, null)).toBe('No rate: not reported')
    expect(whyNot(5, 100, 3, 60)).toBe('')
    expect(share(shareOf(-1, 5))).toBe(NOTHING)
    expect(share(shareOf(1, -5))).toBe(NOTHING)
  })
})

describe('columns', () => {
  it('are rates only beside the count they belong to', () => {
    const kinds = columnsOf(['Browser', 'Bad', 'Bad Rate', 'Bit Rate'], null, null).map(({ kind }) => kind)
    expect(kinds).toEqual(['label', 'count', 'rate', 'count'])
  })
})

describe('labels', () => {
  it('are cut between characters', () => {
    checkProperty(
      'cut labels',
      fc.property(fc.string({ unit: 'grapheme', maxLength: 600 }), (label) => {
        expect(() => encodeURIComponent(cut(label))).not.toThrow()
        expect(label.startsWith(cut(label))).toBe(true)
      }),
    )
  })

  it('name the aggregate as the service does, else "All"', () => {
    expect(labelText({ kind: 'all', name: null })).toBe('All')
    expect(labelText({ kind: 'all', name: 'All Instances' })).toBe('All Instances')
  })
})

describe('the cards of an overview', () => {
  it('share out the requests, which are the sum of their parts', () => {
    const figures = figuresOf('direct', { nonsuspect: 30, suspect: 10, mobile: 20 })
    expect(figures[0]).toMatchObject({ name: 'Requests', value: 40 })
    expect(figures.find(({ name }) => name === 'Suspect')?.share).toBe(0.25)
  })

  it('keep null out of sums', () => {
    expect(requestsOf('script', { drops: 1, good: 2, warning: null, bad: 3 })).toBeNull()
    const figures = figuresOf('script', { drops: 1, good: 2, warning: 3, bad: 4, mobile: 1, adblocker: null })
    expect(figures[0]?.value).toBe(10)
    expect(figures.find(({ name }) => name === 'Ad blocker')).toMatchObject({ value: null, share: null })
  })

  it('show totals that nobody specified, after the others', () => {
    expect(figuresOf('direct', { nonsuspect: 1, suspect: 1, mobile: 0, bots: 7 }).at(-1)).toMatchObject({
      name: 'bots',
      value: 7,
    })
  })

  it('have their days from the chart, whatever it calls them; requests as the sum of their parts', () => {
    const figures = figuresOf('direct', { nonsuspect: 30, suspect: 10, mobile: 20 })
    const chart = {
      days: ['2026-11-18', '2026-11-19'].map(day),
      series: [
        { header: 'Suspect', values: [4, null] },
        { header: 'Non-Suspect', values: [10, 20] },
      ],
    }
    const days = Object.fromEntries(
      figures.map((figure) => [figure.header, daysOfFigure('direct', figure, chart)]),
    )
    expect(days).toEqual({ Requests: [14, 20], 'Non-Suspect': [10, 20], Suspect: [4, null], Mobile: null })
    const [requests] = figures
    expect(requests && daysOfFigure('direct', requests, { ...chart, series: [] })).toBeNull()
  })

  it('have the days of a part that the chart lacks from what the other parts leave of the requests', () => {
    const drops = figuresOf('script', {}).find(({ header }) => header === 'Drops')
    const series = [
      { header: 'Requests', values: [10, 20, null, 5] },
      { header: 'Good', values: [4, 8, 1, 5] },
      { header: 'Warning', values: [2, null, 1, 0] },
      { header: 'Bad', values: [1, 4, 1, 0] },
    ]
    const days = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'].map(day)
    expect(drops && daysOfFigure('script', drops, { days, series })).toEqual([3, null, null, 0])
    expect(drops && daysOfFigure('script', drops, { days, series: series.slice(1) })).toBeNull()
    expect(drops && daysOfFigure('script', drops, { days, series: series.slice(0, 3) })).toBeNull()
  })
})
