import type { Lengths } from '#shared/reports/change.ts'
import type { ExplainedSide, ExplainedValue, Explanation } from '#shared/reports/explain.ts'
import { labelText } from '#shared/reports/rows.ts'

/** A fraction of whole numbers, in lowest terms with a positive denominator. */
class Fraction {
  readonly top: bigint
  readonly bottom: bigint

  constructor(top: bigint | number, bottom: bigint | number = 1n) {
    const [above, below] = [BigInt(top), BigInt(bottom)]
    const divisor =
      greatest(above < 0n ? -above : above, below < 0n ? -below : below) * (below < 0n ? -1n : 1n)
    this.top = above / divisor
    this.bottom = below / divisor
  }

  plus = (other: Fraction) =>
    new Fraction(this.top * other.bottom + other.top * this.bottom, this.bottom * other.bottom)
  times = (other: Fraction) => new Fraction(this.top * other.top, this.bottom * other.bottom)
  minus = (other: Fraction) => this.plus(new Fraction(-other.top, other.bottom))
  over = (other: Fraction) => this.times(new Fraction(other.bottom, other.top))
  get sign() {
    return this.top > 0n ? 1 : this.top < 0n ? -1 : 0
  }
  get number() {
    return Number(this.top) / Number(this.bottom)
  }
}

const greatest = (one: bigint, other: bigint): bigint =>
  other === 0n ? one || 1n : greatest(other, one % other)
const zero = new Fraction(0)
const half = new Fraction(1, 2)
/** There are hundreds of thousands of these: what is not so is worth a text alone. */
function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

const sumOf = (all: readonly Fraction[]) => all.reduce((sum, each) => sum.plus(each), zero)

type Row = { name: string; n: Fraction; m: Fraction; c: Fraction; d: Fraction }
type Told = { name: string; total: Fraction; mix: Fraction; rate: Fraction; size: Fraction }

type Whole = { readonly now: ExplainedSide | null; readonly before: ExplainedSide | null }

function wholeOf(values: readonly ExplainedValue[], given: ExplainedSide | null, which: 'now' | 'before') {
  if (given) return given
  const known = (name: 'count' | 'base') => values.flatMap((value) => value[which][name] ?? [])
  const add = (all: readonly number[]) => (all.length === 0 ? null : all.reduce((sum, each) => sum + each, 0))
  return { count: add(known('count')), base: add(known('base')) }
}

/** Null where a count is not known. Counts are per day. */
function rowOf(name: string, now: ExplainedSide, before: ExplainedSide, lengths: Lengths): Row | null {
  const { count: c, base: n } = now
  const { count: d, base: m } = before
  if (c === null || n === null || d === null || m === null) return null
  const [here, there] = lengths.now === lengths.before ? [1, 1] : [lengths.now, lengths.before]
  return {
    name,
    ...{
      n: new Fraction(n, here),
      c: new Fraction(c, here),
      m: new Fraction(m, there),
      d: new Fraction(d, there),
    },
  }
}

const rateOf = (count: Fraction, base: Fraction) => (base.sign === 0 ? null : count.over(base))

function toldByCount({ n, m, c, d, name }: Row, all: Row): Told {
  const [r, q] = [rateOf(c, n) ?? rateOf(d, m) ?? zero, rateOf(d, m) ?? rateOf(c, n) ?? zero]
  const shares = [rateOf(c, all.c), rateOf(d, all.d)].filter((share) => share !== null)
  return {
    name,
    total: c.minus(d),
    mix: r
      .plus(q)
      .times(half)
      .times(n.minus(m))
      .plus(rateless(c, n).minus(rateless(d, m))),
    rate: n.plus(m).times(half).times(r.minus(q)),
    size: shares.length === 0 ? zero : sumOf(shares).over(new Fraction(shares.length)),
  }
}

/** Something that is counted of nothing: it belongs to no rate. */
const rateless = (count: Fraction, base: Fraction) => (base.sign === 0 ? count : zero)

function toldByRate({ n, m, c, d, name }: Row, all: Row): Told {
  const [r, q] = [rateOf(c, n) ?? rateOf(d, m) ?? zero, rateOf(d, m) ?? rateOf(c, n) ?? zero]
  const mean = all.c.over(all.n).plus(all.d.over(all.m)).times(half)
  const [w, v] = [n.over(all.n), m.over(all.m)]
  const none = rateless(c, n).over(all.n).minus(rateless(d, m).over(all.m))
  const mix = r.plus(q).times(half).minus(mean).times(w.minus(v)).plus(none)
  const rate = w.plus(v).times(half).times(r.minus(q))
  return { name, mix, rate, total: mix.plus(rate), size: w.plus(v).times(half) }
}

/** Explains a change in fractions: slowly, and with everything sorted. */
export function naively(
  values: readonly ExplainedValue[],
  whole: Whole,
  by: 'count' | 'rate',
  lengths: Lengths,
) {
  const all = rowOf('', wholeOf(values, whole.now, 'now'), wholeOf(values, whole.before, 'before'), lengths)
  if (!all || (by === 'rate' && (all.n.sign === 0 || all.m.sign === 0))) return null
  const rows = values.flatMap(({ label, now, before }) => rowOf(labelText(label), now, before, lengths) ?? [])
  const told = rows.map((row) => (by === 'count' ? toldByCount(row, all) : toldByRate(row, all)))
  const change = by === 'count' ? all.c.minus(all.d) : all.c.over(all.n).minus(all.d.over(all.m))
  const rest = change.minus(sumOf(told.map(({ total }) => total)))
  const left = (['n', 'm', 'c', 'd'] as const).every(
    (name) => all[name].minus(sumOf(rows.map((row) => row[name]))).sign === 0,
  )
  return {
    expectSame: (ours: Explanation) =>
      compare(ours, { by, all, rows, told, change, rest, isWhole: left && rows.length === values.length }),
  }
}

type Truth = {
  by: 'count' | 'rate'
  all: Row
  rows: readonly Row[]
  told: readonly Told[]
  change: Fraction
  rest: Fraction
  isWhole: boolean
}

function compare(ours: Explanation, { by, rows, told, change, rest, isWhole }: Truth): void {
  const unit = by === 'count' ? 1 : 100
  const close = (found: number, truth: Fraction) => {
    const expected = truth.number * unit
    const isClose = Math.abs(found / ours.scale - expected) <= 1e-10 * Math.max(1, Math.abs(expected))
    must(isClose, `${found} is ${expected}`)
  }
  close(ours.change, change)
  close(ours.rest, rest)
  close(ours.sums.mix, sumOf(told.map(({ mix }) => mix)))
  close(ours.sums.rate, sumOf(told.map(({ rate }) => rate)))
  const sorted = told.toSorted((one, other) => other.total.minus(one.total).sign * change.sign)
  const shareOf = ({ total }: Told) => total.over(change).number
  const named: Told[] = []
  if (change.sign !== 0) {
    for (const each of sorted.slice(0, 3)) {
      const before = named.reduce((sum, other) => sum + shareOf(other), 0)
      if (before < 2 / 3 - 1e-9 && shareOf(each) > 0.1 - 1e-9) named.push(each)
    }
  }
  const lowest = change.sign === 0 ? undefined : sorted.at(-1)
  const accounted = named.reduce((sum, each) => sum + shareOf(each), 0)
  const sizes = named.reduce((sum, { size }) => sum + size.number, 0)
  const isNear = (one: number, other: number) => Math.abs(one - other) < 1e-8
  const shape =
    change.sign === 0
      ? 'unchanged'
      : accounted < 2 / 3 - 1e-9
        ? 'spread'
        : accounted <= sizes * 1.1
          ? 'alike'
          : 'few'
  if (!isNear(accounted, sizes * 1.1)) must(ours.shape === shape, `${ours.shape} is ${shape}`)
  // Of two that contribute alike either may be named.
  must(ours.named.length === named.length, `${ours.named.length} named are ${named.length}`)
  for (const [place, each] of named.entries()) {
    const own = ours.named[place]
    const truth = told.find(({ name }) => own && name === labelText(own.label))
    if (!own || !truth) throw new Error(`${each.name} is not named`)
    must(isNear(truth.total.number, each.total.number), `${each.name} is not the next`)
    close(own.total, truth.total)
    close(own.mix, truth.mix)
    close(own.rate, truth.rate)
  }
  if (lowest && shareOf(lowest) < -0.1 - 1e-9) close(ours.against?.total ?? NaN, lowest.total)
  else if (!lowest || shareOf(lowest) > -0.1 + 1e-9) must(ours.against === null, 'Something is against it')
  const simpson = by === 'rate' ? paradox(change, rows, told, isWhole) : null
  must(ours.paradox === simpson, `${ours.paradox} is ${simpson}`)
}

/** By words: all went one way or stayed, some did, and the whole went the other. */
function paradox(change: Fraction, rows: readonly Row[], told: readonly Told[], isWhole: boolean) {
  const rates = sumOf(told.map(({ rate }) => rate))
  const isSeen = (points: Fraction) => Math.abs(points.number * 100) >= 0.005
  if (!isSeen(change) || !isSeen(rates) || change.sign === rates.sign) return null
  const ways = rows.flatMap(({ n, m, c, d }) => {
    const [now, before] = [rateOf(c, n), rateOf(d, m)]
    return now && before ? [now.minus(before).sign] : []
  })
  return isWhole && ways.length > 1 && !ways.includes(change.sign) ? 'each' : 'together'
}
