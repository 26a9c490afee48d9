import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Count, Label } from '#shared/api/answers.ts'
import { pointsBetween } from '#shared/reports/change.ts'
import { explain, ranked, rounded } from '#shared/reports/explain.ts'
import type { ExplainedSide, ExplainedValue, Explanation } from '#shared/reports/explain.ts'
import { labelText, rateOf } from '#shared/reports/rows.ts'
import { checkProperty } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { naively } from './naive-explanation.ts'

const aDay = { now: 1, before: 1 }
const text = (name: string): Label => ({ kind: 'text', text: name })
const side = (count: Count, base: Count): ExplainedSide => ({ count, base })

/** A value by what was bad of how many requests, before and now. */
type Made = readonly [name: string, before: readonly [Count, Count], now: readonly [Count, Count]]

const made = (values: readonly Made[]): ExplainedValue[] =>
  values.map(([name, before, now]) => ({ label: text(name), now: side(...now), before: side(...before) }))

const unknownWhole = { now: null, before: null }

function explained(
  by: 'count' | 'rate',
  values: readonly Made[],
  whole: Parameters<typeof explain>[1] = unknownWhole,
) {
  const explanation = explain(made(values), whole, { by, lengths: aDay })
  if (explanation === null) throw new Error('Nothing is explained')
  return explanation
}

const namesOf = ({ named }: Explanation) => named.map(({ label }) => labelText(label))

/** All that a change is the sum of. */
const partsOf = ({ named, against, others, rest }: Explanation): number[] => [
  ...named.map(({ total }) => total),
  against?.total ?? 0,
  others.total,
  rest,
]
const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0)

describe('a count', () => {
  it('is explained by the values that account for most of its change, each with its mix and its rate', () => {
    // Comcast: the same 10,000 requests, twice as bad. Orange: more requests, as bad as before.
    const exact = explained('count', [
      ['Comcast', [1000, 10_000], [2000, 10_000]],
      ['Orange', [200, 4000], [230, 4600]],
      ['Vodafone', [50, 1000], [60, 1000]],
    ])
    const explanation = rounded(exact)
    expect(explanation).toMatchObject({
      change: 1040,
      shape: 'few',
      against: null,
      rest: 0,
      unknown: 0,
      scale: 1,
    })
    expect(explanation.named).toMatchObject([{ label: text('Comcast'), total: 1000, mix: 0, rate: 1000 }])
    expect(explanation.others).toMatchObject({ values: 2, total: 40, mix: 30, rate: 10 })
    expect(explanation.sums).toMatchObject({ total: 1040, mix: 30, rate: 1010 })
  })

  it('is explained by what a new value brought and an old one took away, as traffic of its kind', () => {
    const { named, against } = explained('count', [
      ['New', [0, 0], [900, 1000]],
      ['Gone', [200, 400], [0, 0]],
    ])
    expect(named).toMatchObject([{ total: 900, mix: 900, rate: 0 }])
    expect(against).toMatchObject({ label: text('Gone'), total: -200, mix: -200, rate: 0 })
  })

  it('names three values at most, and says where they are not most of it', () => {
    const many = Array.from({ length: 9 }, (_, place): Made => [`${place}`, [10, 100], [10 + place, 100]])
    const spread = explained('count', many)
    expect(spread.shape).toBe('spread')
    expect(namesOf(spread)).toEqual(['8', '7', '6'])
    const even = Array.from({ length: 20 }, (_, place): Made => [`${place}`, [10, 100], [20, 100]])
    expect(explained('count', even)).toMatchObject({
      shape: 'spread',
      named: [],
      others: { values: 20, total: 200 },
    })
  })

  it('is alike where the values named are as large a part of the change as of everything', () => {
    const { shape, named } = explained('count', [
      ['Desktop', [950, 9500], [1900, 19_000]],
      ['Mobile', [50, 500], [100, 1000]],
    ])
    expect([shape, named.length]).toEqual(['alike', 1])
    expect(explained('count', [['All of it', [1, 2], [7, 9]]]).shape).toBe('alike')
  })

  it('is unchanged where up and down are one', () => {
    const { shape, named, gross, sums } = explained('count', [
      ['Up', [5, 10], [9, 10]],
      ['Down', [9, 10], [5, 10]],
    ])
    expect([shape, named, gross, sums.total]).toEqual(['unchanged', [], 8, 0])
  })

  it('leaves out a value of which a count is not known: null is not zero', () => {
    const { unknown, others, named, rest } = explained(
      'count',
      [
        ['A', [5, 10], [9, 10]],
        ['B', [null, 10], [3, 10]],
        ['C', [2, 10], [3, null]],
      ],
      { now: side(15, 40), before: side(7, 40) },
    )
    expect([unknown, rest, named.map(({ total }) => total), others.values]).toEqual([2, 4, [4], 0])
  })

  it('is not explained where the whole is not known', () => {
    const whole = { now: side(null, 4), before: side(1, 4) }
    expect(explain(made([['A', [1, 4], [null, 4]]]), whole, { by: 'count', lengths: aDay })).toBeNull()
  })

  it('is compared per day where the periods are of unequal length, in whole numbers all the same', () => {
    const lengths = { now: 3, before: 7 }
    const values = made([
      ['A', [70, 700], [60, 300]],
      ['B', [7, 70], [3, 30]],
    ])
    const exact = explain(values, unknownWhole, { by: 'count', lengths })
    // 20 a day less 10 a day, in parts of 3 × 7 days.
    expect(exact).toMatchObject({
      scale: 21,
      change: 210,
      named: [{ label: text('A'), total: 210, mix: 0, rate: 210 }],
    })
    expect(exact && rounded(exact)).toMatchObject({ scale: 100, change: 1000, named: [{ total: 1000 }] })
  })

  it('tells of a value that is asked about, named or not', () => {
    const values = made([
      ['A', [5, 10], [90, 100]],
      ['B', [5, 10], [6, 10]],
    ])
    const of = (focus: string) => explain(values, unknownWhole, { by: 'count', lengths: aDay, focus })?.focus
    expect(of('text B')).toMatchObject({ label: text('B'), total: 1 })
    expect(of('text nobody')).toBeNull()
  })
})

describe('a rate', () => {
  it('is explained by the rate of its values and by their share of everything', () => {
    const { change, named, sums } = explained('rate', [
      ['Cheap', [200, 1000], [800, 2000]],
      ['Good', [100, 9000], [100, 8000]],
    ])
    // 3 % became 9 %: Cheap is 10 % of everything, then 20 %, at 20 %, then 40 %, beside a mean of 6 %.
    expect(change).toBeCloseTo(6, 10)
    expect(named).toMatchObject([{ label: text('Cheap') }])
    expect(named[0]?.rate).toBeCloseTo(15 * 0.2, 10)
    expect(named[0]?.mix).toBeCloseTo((30 - 6) * 0.1, 10)
    expect(sums.total).toBeCloseTo(6, 10)
  })

  it('has none where nothing was counted in one of the periods', () => {
    expect(explain(made([['A', [0, 0], [1, 9]]]), unknownWhole, { by: 'rate', lengths: aDay })).toBeNull()
  })

  it('can rise while that of each value falls: traffic moved to where it is high', () => {
    const berkeley = explained('rate', [
      ['Low', [80, 800], [18, 200]],
      ['High', [100, 200], [384, 800]],
    ])
    expect(berkeley.change).toBeCloseTo(22.2, 10)
    expect(berkeley).toMatchObject({ paradox: 'each' })
    expect(berkeley.sums.rate).toBeLessThan(0)
    expect(berkeley.sums.mix).toBeGreaterThan(22.2)
  })

  it('can rise while the values together fall, some of them rising', () => {
    const values: Made[] = [
      ['Low', [80, 800], [18, 200]],
      ['High', [100, 200], [384, 800]],
      ['Small', [1, 10], [2, 10]],
    ]
    expect(explained('rate', values).paradox).toBe('together')
    expect(explained('rate', values.slice(1)).paradox).toBeNull()
  })

  it('is not said to fall in each value where part of everything has none', () => {
    const whole = { now: side(410, 1010), before: side(180, 1000) }
    const values: Made[] = [
      ['Low', [80, 800], [18, 200]],
      ['High', [100, 200], [384, 800]],
    ]
    expect(explained('rate', values, whole).paradox).toBe('together')
  })
})

describe('dimensions', () => {
  it('are ranked by how few values explain the change, those that say nothing last', () => {
    const explanationOf = (values: readonly Made[]) => explained('count', values)
    const before = [10, 100] as const
    const one = explanationOf([
      ['A', before, [110, 100]],
      ...['B', 'C', 'D'].map((name): Made => [name, before, before]),
    ])
    const two = explanationOf([
      ['A', before, [60, 100]],
      ['B', before, [60, 100]],
      ...['C', 'D'].map((name): Made => [name, before, before]),
    ])
    const spread = explanationOf('ABCDEFGHIJ'.split('').map((name): Made => [name, before, [20, 100]]))
    const alike = explanationOf([['A', before, [110, 100]]])
    const noisy = explanationOf([
      ['A', before, [210, 100]],
      ['B', [120, 200], [20, 200]],
      ...['C', 'D'].map((name): Made => [name, before, before]),
    ])
    const given = { alike, spread, two, noisy, one }
    const order = ranked(Object.entries(given).map(([name, explanation]) => ({ name, explanation })))
    expect(order.map(({ name }) => name)).toEqual(['one', 'noisy', 'two', 'spread', 'alike'])
  })
})

const count = fc.nat({ max: 1_000_000 })
const counted = fc.tuple(count, count)
const someSide = fc.oneof(
  { weight: 6, arbitrary: counted },
  { weight: 1, arbitrary: fc.constant([0, 0] as const) },
  { weight: 1, arbitrary: fc.constant([null, 9] as const) },
)
const someValues = fc
  .array(fc.tuple(someSide, someSide), { minLength: 1, maxLength: 30 })
  .map((sides) => sides.map(([before, now], place): Made => [`Value ${place}`, before, now]))
const days = fc.integer({ min: 1, max: 31 })
const someLengths = fc.oneof(fc.constant(aDay), fc.record({ now: days, before: days }))
const by = fc.constantFrom('count' as const, 'rate' as const)
const someWhole = fc.option(
  fc.record({
    now: counted.map((counts) => side(...counts)),
    before: counted.map((counts) => side(...counts)),
  }),
  { nil: unknownWhole },
)

describe('contributions', () => {
  it('sum to the change, exactly for counts and to 1e-12 of the whole for rates', () => {
    checkProperty(
      'explained changes',
      fc.property(someValues, someWhole, someLengths, by, (values, whole, lengths, measure) => {
        const explanation = explain(made(values), whole, { by: measure, lengths })
        if (explanation === null) return
        const { change, sums, rest, named, others, against } = explanation
        if (measure === 'count') expect(sum(partsOf(explanation))).toBe(change)
        // Hundredths of the whole: what has no value may be many times as much as the whole.
        const size = 100 * Math.max(1, explanation.gross / 100, Math.abs(rest) / 100)
        expect(Math.abs(sum(partsOf(explanation)) - change)).toBeLessThanOrEqual(1e-12 * size)
        expect(Math.abs(sums.total + rest - change)).toBeLessThanOrEqual(1e-12 * size * 10)
        for (const { total, mix, rate } of [...named, ...(against ? [against] : []), others, sums])
          expect(Math.abs(mix + rate - total)).toBeLessThanOrEqual(1e-9 * Math.max(1, explanation.gross))
      }),
    )
  })

  it('sum exactly as they are shown, to the change that is shown elsewhere', () => {
    checkProperty(
      'shown explanations',
      fc.property(someValues, someWhole, someLengths, by, (values, whole, lengths, measure) => {
        const exact = explain(made(values), whole, { by: measure, lengths })
        if (exact === null) return
        const shown = rounded(exact)
        const figures = [shown.named, shown.against ?? [], shown.others, shown.sums].flat()
        for (const { total, mix, rate } of figures) {
          expect([total, mix, rate].every(Number.isSafeInteger)).toBe(true)
          expect(mix + rate).toBe(total)
        }
        expect(sum(partsOf(shown))).toBe(shown.change)
        expect(shown.sums.total + shown.rest).toBe(shown.change)
        const { now, before } = exact.whole
        if (measure === 'rate') {
          const points = pointsBetween(rateOf(now.count, now.base), rateOf(before.count, before.base))
          expect(Math.abs(shown.change / shown.scale - (points ?? 0))).toBeLessThanOrEqual(0.005 + 1e-9)
        }
        // Nobody is shown more than half a step beside the truth, but whoever takes what rounding leaves.
        for (const [place, { total }] of shown.named.entries()) {
          const truth = (exact.named[place]?.total ?? 0) / exact.scale
          const steps = place === 0 && shown.others.values === 0 ? 4 : 0.5 + 1e-6
          expect(Math.abs(total / shown.scale - truth)).toBeLessThanOrEqual(steps / shown.scale)
        }
      }),
    )
  })
})

describe('2,000 random trees', () => {
  it('are explained as somebody would who computes in fractions and sorts everything', () => {
    const random = randomFrom(20_261_127)
    const whole = (max: number) => Math.floor(random() * (max + 1))
    const seen = { few: 0, spread: 0, alike: 0, unchanged: 0, each: 0, together: 0, nothing: 0 }
    for (let tree = 0; tree < 2000; tree += 1) {
      const lengths = whole(4) === 0 ? { now: 1 + whole(6), before: 1 + whole(6) } : aDay
      for (const dimension of treeOf(whole)) {
        for (const measure of ['count', 'rate'] as const) {
          const ours = explain(dimension.values, dimension.whole, { by: measure, lengths })
          const theirs = naively(dimension.values, dimension.whole, measure, lengths)
          expect(ours === null).toBe(theirs === null)
          if (ours === null || theirs === null) {
            seen.nothing += 1
            continue
          }
          theirs.expectSame(ours)
          seen[ours.shape] += 1
          if (ours.paradox) seen[ours.paradox] += 1
        }
      }
    }
    for (const [what, times] of Object.entries(seen))
      expect(times, what).toBeGreaterThan(what === 'nothing' ? 0 : 20)
  })
})

type Dimension = { readonly values: readonly ExplainedValue[]; readonly whole: Parameters<typeof explain>[1] }

/** Traffic of some kinds, each with a value in every dimension, counted by each of these; some rows and counts get lost. */
function treeOf(whole: (max: number) => number): Dimension[] {
  const dimensions = 1 + whole(3)
  const widths = Array.from({ length: dimensions }, () => 1 + whole(5))
  const leaves = Array.from({ length: 1 + whole(12) }, () => {
    const bases = [whole(3) === 0 ? 0 : whole(2000), whole(3) === 0 ? 0 : whole(2000)] as const
    const [share, more] = [whole(100), whole(20) - 10]
    const countOf = (base: number, rate: number) =>
      Math.round((base * Math.min(100, Math.max(0, rate))) / 100)
    return {
      places: widths.map((width) => whole(width - 1)),
      now: side(countOf(bases[0], share + more), bases[0]),
      before: side(countOf(bases[1], share), bases[1]),
    }
  })
  const add = (sides: readonly ExplainedSide[]) =>
    sides.reduce(
      (one, other) => side((one.count ?? 0) + (other.count ?? 0), (one.base ?? 0) + (other.base ?? 0)),
      side(0, 0),
    )
  const both = (some: typeof leaves) => ({
    now: add(some.map(({ now }) => now)),
    before: add(some.map(({ before }) => before)),
  })
  const all = both(leaves)
  return widths.map((width, place): Dimension => {
    const values = Array.from({ length: width }, (_, value) => ({
      label: text(`Value ${value}`),
      ...both(leaves.filter(({ places }) => places[place] === value)),
    }))
    const fate = whole(9)
    // A row that is not there, a count that is not known, a total that nobody sent.
    if (fate === 0) return { values: values.slice(1), whole: all }
    if (fate === 1)
      return {
        values: values.map((value, nth) => (nth === 0 ? { ...value, now: side(null, 1) } : value)),
        whole: all,
      }
    return { values, whole: fate === 2 ? unknownWhole : all }
  })
}
