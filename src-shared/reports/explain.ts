import type { Count, Label } from '../api/answers.ts'
import { isPerDay, pointsBetween } from './change.ts'
import type { Lengths } from './change.ts'
import { labelKey, rateOf } from './rows.ts'

/**
 * What explains a change: how much each value of a dimension contributes to it. With n, m for what is counted of (now, before),
 * c, d for the count, r = c/n and q = d/m, and a bar for the mean of both periods:
 *
 * - Of a count, a value contributes c − d = r̄(n − m) + n̄(r − q).
 * - Of a rate, with w, v for the value's share of the whole and R̄ for the whole's mean rate, it contributes
 *   (r̄ − R̄)(w − v) + w̄(r − q).
 *
 * The first part is the mix: more, or less, traffic of its kind. The second is the rate: the same traffic with another rate. A value
 * that one period lacks has the same rate in both, so all of it is mix. Both are exact, in any order of values.
 */

/** A count of one period, and that of which its rate is a share. Nothing counts 0; null is not known. */
export type ExplainedSide = { readonly count: Count; readonly base: Count }

/** A value of a dimension, or the whole, in both periods. */
export type ExplainedSides = { readonly now: ExplainedSide; readonly before: ExplainedSide }

export type ExplainedValue = ExplainedSides & { readonly label: Label }

/** A part of a change: `total` is `mix` and `rate` together. */
type Contribution = { readonly total: number; readonly mix: number; readonly rate: number }

export type NamedValue = ExplainedValue & Contribution

/**
 * How a change lies on the values of a dimension: on a few, on many, on all in proportion to their size; or there is none.
 */
type ExplainedShape = 'few' | 'spread' | 'alike' | 'unchanged'

/**
 * What explains a change by one dimension. Each figure divided by `scale` is a count (per day where periods are of unequal length),
 * or points. `change` is the sum of `named`, `against`, `others` and `rest`.
 */
export type Explanation = {
  readonly by: 'count' | 'rate'
  readonly scale: number
  readonly whole: ExplainedSides
  readonly change: number
  readonly shape: ExplainedShape
  /** Up to three values that account for most of it, the most first. */
  readonly named: readonly NamedValue[]
  /** The value that held most against it; null where none held as much as a tenth of it. */
  readonly against: NamedValue | null
  /** All other values together, and how many they are. */
  readonly others: Contribution & { readonly values: number }
  /** What no known value accounts for: the whole less its values. */
  readonly rest: number
  /** How many values are left out of all others but `rest`, because a count of theirs is not known. */
  readonly unknown: number
  /** All values together. */
  readonly sums: Contribution
  /** What all values moved, whichever way. */
  readonly gross: number
  /** Rates that went the other way than the whole: of each value, or of all together. */
  readonly paradox: 'each' | 'together' | null
  /** The value that was asked about, where it is known. */
  readonly focus: NamedValue | null
}

/** Values are named until they account for so much of a change, each for at least so much, and no more of them. */
const enough = 2 / 3
const minShare = 1 / 10
const maxNamed = 3

/** Values that account for no more than their size times this say nothing but how large they are. */
const beyondSize = 1.1

type How = {
  readonly by: 'count' | 'rate'
  /** How many days either side is of; counts of unequal numbers of days are compared per day. */
  readonly lengths: Lengths
  /** The key of a value that is asked about (rows.ts: labelKey). */
  readonly focus?: string | undefined
}

/** A value's counts, all of them known. */
type Known = {
  readonly value: ExplainedValue
  readonly n: number
  readonly m: number
  readonly c: number
  readonly d: number
}

/** A sum that loses nothing worth mentioning, however many numbers it is of (Neumaier). */
class Sum {
  #sum = 0
  #lost = 0

  add(value: number): void {
    const sum = this.#sum + value
    this.#lost += Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum
    this.#sum = sum
  }

  get total(): number {
    return this.#sum + this.#lost
  }
}

/**
 * The counts of both periods as if these were of one length: each times the days of the other. Whole numbers stay whole, and rates
 * and shares what they are.
 * @returns null where one is not known
 */
function knownOf(value: ExplainedValue, times: Lengths): Known | null {
  const { now, before } = value
  if (now.count === null || now.base === null || before.count === null || before.base === null) return null
  const [n, m] = [now.base * times.now, before.base * times.before]
  return { value, n, m, c: now.count * times.now, d: before.count * times.before }
}

/** A part of a whole; none of nothing. */
const part = (count: number, whole: number): number => (whole === 0 ? 0 : count / whole)

/** The rates of a value; where one period lacks it, both are the other's. */
function ratesOf({ n, m, c, d }: Known): readonly [now: number, before: number] {
  const [now, before] = [n === 0 ? null : c / n, m === 0 ? null : d / m]
  return [now ?? before ?? 0, before ?? now ?? 0]
}

type Contributed = Contribution & { readonly known: Known }

type Measure = {
  readonly change: number
  /** What is contributed by a value, and which share of the change is its by size alone. */
  readonly contribution: (known: Known) => Contributed
  readonly size: (known: Known) => number
  /** What is contributed by counts that no value has. */
  readonly rest: (rest: Omit<Known, 'value'>) => number
}

function ofCounts({ c: all, d: allBefore }: Known): Measure {
  return {
    change: all - allBefore,
    contribution: (known) => {
      const [now, before] = ratesOf(known)
      const rate = ((known.n + known.m) / 2) * (now - before)
      const total = known.c - known.d
      return { known, total, rate, mix: total - rate }
    },
    size: ({ c, d }) => meanOf(part(c, all), part(d, allBefore), all, allBefore),
    rest: ({ c, d }) => c - d,
  }
}

/** The mean of two shares; of a whole that is nothing, the other alone. */
const meanOf = (now: number, before: number, whole: number, wholeBefore: number): number =>
  whole === 0 ? before : wholeBefore === 0 ? now : (now + before) / 2

const percent = 100

/** Null where the whole has no rate in one of the periods. */
function ofRates(whole: Known): Measure | null {
  const { n: all, m: allBefore } = whole
  if (all === 0 || allBefore === 0) return null
  const [whole1, whole0] = ratesOf(whole)
  const mean = (whole1 + whole0) / 2
  return {
    change: percent * (whole1 - whole0),
    contribution: (known) => {
      const [now, before] = ratesOf(known)
      const [share, shareBefore] = [known.n / all, known.m / allBefore]
      const rate = percent * ((share + shareBefore) / 2) * (now - before)
      const total = percent * (known.c / all - known.d / allBefore - mean * (share - shareBefore))
      // The same as (r̄ − R̄)(w − v), also of what is counted of nothing and has no rate.
      return { known, total, rate, mix: total - rate }
    },
    size: ({ n, m }) => (n / all + m / allBefore) / 2,
    rest: ({ n, m, c, d }) => percent * (c / all - d / allBefore - mean * (n / all - m / allBefore)),
  }
}

/**
 * Explains the change of a whole by its values.
 * @param whole what is counted of everything; a side that is null is the sum of its values
 * @returns null where the whole is not known, or has no rate to explain; figures are exact (rates to 1e-12 of the whole)
 */
export function explain(
  values: readonly ExplainedValue[],
  whole: { readonly now: ExplainedSide | null; readonly before: ExplainedSide | null },
  { by, lengths, focus }: How,
): Explanation | null {
  const perDay = isPerDay(lengths)
  const times: Lengths = perDay ? { now: lengths.before, before: lengths.now } : { now: 1, before: 1 }
  const known = values.flatMap((value) => knownOf(value, times) ?? [])
  const sides = {
    now: whole.now ?? sumOfSides(values, 'now'),
    before: whole.before ?? sumOfSides(values, 'before'),
  }
  const all = knownOf({ label: { kind: 'all', name: null }, ...sides }, times)
  const measure = all && (by === 'count' ? ofCounts(all) : ofRates(all))
  if (!all || !measure) return null
  const contributions = known.map((value) => measure.contribution(value))
  const chosen = chosenOf(contributions, measure)
  const rests = restOf(all, known)
  const sums = sumOf(contributions)
  const named = chosen.named.map(asNamed)
  const against = chosen.against && asNamed(chosen.against)
  const picked = new Set([...chosen.named, chosen.against])
  const others = contributions.filter((contribution) => !picked.has(contribution))
  return {
    ...{ by, scale: by === 'count' && perDay ? lengths.now * lengths.before : 1 },
    ...{ whole: sides, change: measure.change, shape: chosen.shape, named, against },
    others: { values: others.length, ...sumOf(others) },
    rest: measure.rest(rests),
    unknown: values.length - known.length,
    sums,
    gross: contributions.reduce((gross, { total }) => gross + Math.abs(total), 0),
    paradox: by === 'rate' ? paradoxOf(measure.change, sums, known, rests, values.length) : null,
    focus: focusOf(contributions, focus),
  }
}

const asNamed = ({ known, total, mix, rate }: Contributed): NamedValue => ({
  ...known.value,
  total,
  mix,
  rate,
})

function focusOf(contributions: readonly Contributed[], key: string | undefined): NamedValue | null {
  const found =
    key === undefined ? undefined : contributions.find(({ known }) => labelKey(known.value.label) === key)
  return found ? asNamed(found) : null
}

function sumOf(contributions: readonly Contribution[]): Contribution {
  const [total, mix, rate] = [new Sum(), new Sum(), new Sum()]
  for (const contribution of contributions) {
    total.add(contribution.total)
    mix.add(contribution.mix)
    rate.add(contribution.rate)
  }
  return { total: total.total, mix: mix.total, rate: rate.total }
}

/** What is known of them together; null where nothing is. */
function sumOfSides(values: readonly ExplainedValue[], period: 'now' | 'before'): ExplainedSide {
  const sum: { count: Count; base: Count } = { count: null, base: null }
  for (const { [period]: side } of values) {
    if (side.count !== null) sum.count = (sum.count ?? 0) + side.count
    if (side.base !== null) sum.base = (sum.base ?? 0) + side.base
  }
  return sum
}

function restOf(all: Known, known: readonly Known[]): Omit<Known, 'value'> {
  const rest = { n: all.n, m: all.m, c: all.c, d: all.d }
  for (const { n, m, c, d } of known) {
    rest.n -= n
    rest.m -= m
    rest.c -= c
    rest.d -= d
  }
  return rest
}

type Chosen = {
  readonly shape: ExplainedShape
  readonly named: readonly Contributed[]
  readonly against: Contributed | null
}

/** The values that account for most of a change, and the one that held most against it. Of equals, those that came first. */
function chosenOf(contributions: readonly Contributed[], { change, size }: Measure): Chosen {
  if (change === 0) return { shape: 'unchanged', named: [], against: null }
  const shareOf = ({ total }: Contributed) => total / change
  const largest = largestOf(contributions, shareOf).filter(
    (contribution) => shareOf(contribution) >= minShare,
  )
  const named: Contributed[] = []
  let accounted = 0
  for (const contribution of largest) {
    if (accounted >= enough) break
    named.push(contribution)
    accounted += shareOf(contribution)
  }
  const sizes = named.reduce((sum, { known }) => sum + size(known), 0)
  const [lowest] = largestOf(contributions, (contribution) => -shareOf(contribution))
  return {
    shape: accounted < enough ? 'spread' : accounted <= beyondSize * sizes ? 'alike' : 'few',
    named,
    against: lowest && shareOf(lowest) <= -minShare ? lowest : null,
  }
}

/** As many as are named at most, the largest first. */
function largestOf<T>(items: readonly T[], sizeOf: (item: T) => number): T[] {
  const largest: T[] = []
  for (const item of items) {
    const place = largest.findIndex((other) => sizeOf(item) > sizeOf(other))
    if (place < 0 && largest.length === maxNamed) continue
    largest.splice(place < 0 ? largest.length : place, 0, item)
    if (largest.length > maxNamed) largest.pop()
  }
  return largest
}

/** Points that are not rounded to nothing where they are shown. */
const visible = 0.005

/**
 * Simpson's paradox: the rate of each value that both periods have went one way or stayed, and that of the whole went the other. It
 * is said only where all that the whole counts is known by value.
 */
function paradoxOf(
  change: number,
  { rate }: Contribution,
  known: readonly Known[],
  rests: Omit<Known, 'value'>,
  values: number,
): Explanation['paradox'] {
  const way = Math.sign(change)
  if (Math.abs(change) < visible || Math.abs(rate) < visible || Math.sign(rate) === way) return null
  const isWhole = known.length === values && Object.values(rests).every((count) => count === 0)
  const both = known.filter(({ n, m }) => n > 0 && m > 0)
  const inEach = isWhole && both.length > 1 && both.every((value) => wayOf(value) !== way)
  return inEach ? 'each' : 'together'
}

/** Which way a value's rate went: the sign of c·m − d·n, exactly. */
function wayOf({ n, m, c, d }: Known): number {
  const [here, there] = [c * m, d * n]
  if (here !== there && Number.isSafeInteger(here) && Number.isSafeInteger(there))
    return Math.sign(here - there)
  if (![n, m, c, d].every(Number.isSafeInteger)) return Math.sign(here - there)
  const difference = BigInt(c) * BigInt(m) - BigInt(d) * BigInt(n)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

/** Halves go away from zero, as they do where numbers are written; there is no zero below zero. */
const nearest = (value: number): number => Math.sign(value) * Math.round(Math.abs(value)) + 0

/** Counts per day and points are told to hundredths. */
const hundredths = 100

/**
 * An explanation in whole numbers, so that what is shown adds up: counts as they are; counts per day and points in hundredths. The
 * change is that of rounded rates, as it is shown elsewhere. What rounding leaves over stands with the others; where there are none, with
 * the first that is named.
 */
export function rounded(explanation: Explanation): Explanation {
  const { by, scale, whole, others, named, against } = explanation
  const shown = by === 'count' && scale === 1 ? 1 : hundredths
  const inWhole = (value: number) => nearest((value / scale) * shown)
  const contribution = ({ total, rate }: Contribution): Contribution => {
    const [sum, rated] = [inWhole(total), inWhole(rate)]
    return { total: sum, rate: rated, mix: sum - rated }
  }
  const ofNamed = (value: NamedValue): NamedValue => ({ ...value, ...contribution(value) })
  const change = by === 'count' ? inWhole(explanation.change) : changeInHundredths(whole)
  const rest = inWhole(explanation.rest)
  const held = against && ofNamed(against)
  const first = named.map(ofNamed)
  const accounted = first.reduce((sum, { total }) => sum + total, 0) + (held?.total ?? 0) + rest
  const left = change - accounted
  const rated = inWhole(others.rate)
  const isSpread = others.values > 0 || first.length === 0
  const shownNamed = isSpread
    ? first
    : first.map((value, place) => (place === 0 ? withMore(value, left) : value))
  const shownOthers = isSpread
    ? { values: others.values, total: left, rate: rated, mix: left - rated }
    : { values: 0, total: 0, rate: 0, mix: 0 }
  const picked = [...shownNamed, ...(held ? [held] : [])]
  const shownAs = (value: NamedValue) => picked.find(({ label }) => label === value.label) ?? ofNamed(value)
  return {
    ...{ ...explanation, scale: shown, change, rest },
    ...{ named: shownNamed, against: held, others: shownOthers },
    sums: sumOf([...picked, shownOthers]),
    gross: inWhole(explanation.gross),
    focus: explanation.focus && shownAs(explanation.focus),
  }
}

const withMore = (value: NamedValue, more: number): NamedValue => ({
  ...value,
  total: value.total + more,
  mix: value.mix + more,
})

function changeInHundredths({ now, before }: ExplainedSides): number {
  const points = pointsBetween(rateOf(now.count, now.base), rateOf(before.count, before.base))
  return nearest((points ?? 0) * hundredths)
}

const order: readonly ExplainedShape[] = ['few', 'spread', 'alike', 'unchanged']

/**
 * The explanations that say most first: those that need the fewest values; then those beside whose values least happened. Where a
 * change lies on many values, or on all alike, that says less. Of equals, those that came first.
 */
export function ranked<T extends { readonly explanation: Explanation }>(explained: readonly T[]): T[] {
  const rankOf = ({ shape, named }: Explanation) =>
    order.indexOf(shape) * (maxNamed + 1) + (shape === 'few' ? named.length : 0)
  const concentrationOf = ({ named, gross }: Explanation) =>
    part(
      named.reduce((sum, { total }) => sum + Math.abs(total), 0),
      gross,
    )
  return explained.toSorted(
    ({ explanation: one }, { explanation: other }) =>
      rankOf(one) - rankOf(other) || concentrationOf(other) - concentrationOf(one),
  )
}
