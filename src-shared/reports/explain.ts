import type { Count, Label } from '../api/answers.ts'
import { isPerDay, pointsBetween } from './change.ts'
import type { Lengths } from './change.ts'
import { labelKey, rateOf } from './rows.ts'

/**
 * Explains a change by the contributions of a dimension's values. Here n and m are the base now and before, c and d
 * the count. r = c/n and q = d/m are the rates, and a bar is the mean of both periods:
 * - To a count, a value contributes c − d = r̄(n − m) + n̄(r − q).
 * - To a rate, it contributes (r̄ − R̄)(w − v) + w̄(r − q). Here w and v are the value's shares of the whole and R̄
 *   the whole's mean rate.
 * The first part is the mix: more or less traffic of that kind. The second part is the rate: the same traffic at
 * another rate. A value that is missing in one period is given the other's rate, so it contributes only mix. Both
 * formulas are exact for any order of values.
 */

/** A count of one period and the base of its rate. Null means unknown, not zero. */
export type ExplainedSide = { readonly count: Count; readonly base: Count }

/** A value of a dimension, or the whole, in both periods. */
export type ExplainedSides = { readonly now: ExplainedSide; readonly before: ExplainedSide }

export type ExplainedValue = ExplainedSides & { readonly label: Label }

/** Part of a change: `total` is `mix` plus `rate`. */
type Contribution = { readonly total: number; readonly mix: number; readonly rate: number }

export type NamedValue = ExplainedValue & Contribution

/** Distribution of a change: on few values, on many, on all in proportion to their size, or no change. */
type ExplainedShape = 'few' | 'spread' | 'alike' | 'unchanged'

/**
 * Explanation of a change by one dimension. Divided by `scale`, figures are counts (per day for unequal periods) or
 * points. `change` is the sum of `named`, `against`, `others` and `rest`.
 */
export type Explanation = {
  readonly by: 'count' | 'rate'
  readonly scale: number
  readonly whole: ExplainedSides
  readonly change: number
  readonly shape: ExplainedShape
  /** Up to three values that account for most of the change, largest first. */
  readonly named: readonly NamedValue[]
  /** The value that most opposed the change; null if none opposed a tenth of it. */
  readonly against: NamedValue | null
  /** All other values together. `values` is their number. */
  readonly others: Contribution & { readonly values: number }
  /** Change that no known value accounts for: the whole minus its values. */
  readonly rest: number
  /** Number of values with an unknown count. Only `rest` includes them. */
  readonly unknown: number
  /** Sum over all values. */
  readonly sums: Contribution
  /** Sum of the absolute changes of all values. */
  readonly gross: number
  /** Simpson's paradox: whether the rates moved against the whole's, of each value or only combined. */
  readonly paradox: 'each' | 'together' | null
  /** The requested value; null if it is unknown. */
  readonly focus: NamedValue | null
}

/** Values are named until they account for `enough` of a change. Each named value accounts for at least `minShare`. */
const enough = 2 / 3
const minShare = 1 / 10
const maxNamed = 3

/** Named values whose contribution is at most this multiple of their size explain nothing but their size. */
const beyondSize = 1.1

type How = {
  readonly by: 'count' | 'rate'
  /** Number of days on each side. Counts of unequal sides are compared per day. */
  readonly lengths: Lengths
  /** Key of a requested value (rows.ts: labelKey). */
  readonly focus?: string | undefined
}

/** A value whose counts are all known. */
type Known = {
  readonly value: ExplainedValue
  readonly n: number
  readonly m: number
  readonly c: number
  readonly d: number
}

/** Compensated sum, accurate for any number of terms (Neumaier). */
class Sum {
  #sum = 0
  #compensation = 0

  add(value: number): void {
    const sum = this.#sum + value
    this.#compensation +=
      Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum
    this.#sum = sum
  }

  get total(): number {
    return this.#sum + this.#compensation
  }
}

/**
 * Scales the counts of each period by the other period's days, as if both were equally long. Integers stay integers;
 * rates and shares do not change.
 * @returns null if a count is unknown
 */
function knownOf(value: ExplainedValue, times: Lengths): Known | null {
  const { now, before } = value
  if (now.count === null || now.base === null || before.count === null || before.base === null) return null
  const [n, m] = [now.base * times.now, before.base * times.before]
  return { value, n, m, c: now.count * times.now, d: before.count * times.before }
}

/** Share of a whole; 0 if the whole is zero. */
const part = (count: number, whole: number): number => (whole === 0 ? 0 : count / whole)

/** Returns a value's rates. A period without the value takes the rate of the other. */
function ratesOf({ n, m, c, d }: Known): readonly [now: number, before: number] {
  const [now, before] = [n === 0 ? null : c / n, m === 0 ? null : d / m]
  return [now ?? before ?? 0, before ?? now ?? 0]
}

type Contributed = Contribution & { readonly known: Known }

type Measure = {
  readonly change: number
  /** Contribution of a value, and its share of the whole by size. */
  readonly contribution: (known: Known) => Contributed
  readonly size: (known: Known) => number
  /** Contribution of counts that no value accounts for. */
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

/** Mean of two shares. If one whole is zero, the share of the other is returned. */
const meanOf = (now: number, before: number, whole: number, wholeBefore: number): number =>
  whole === 0 ? before : wholeBefore === 0 ? now : (now + before) / 2

const percent = 100

/** Returns null if the whole has no rate in one of the periods. */
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
      // Equals (r̄ − R̄)(w − v), and also covers a count whose base is zero.
      return { known, total, rate, mix: total - rate }
    },
    size: ({ n, m }) => (n / all + m / allBefore) / 2,
    rest: ({ n, m, c, d }) => percent * (c / all - d / allBefore - mean * (n / all - m / allBefore)),
  }
}

/**
 * Explains the change of a whole by its values.
 * @param whole counts of everything; a null side is summed from its values
 * @returns null if the whole is unknown or has no rate; figures are exact (rates to 1e-12 of the whole)
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

/** Sums the known counts of one period; null if none is known. */
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

/** Chooses the values to name, and the value that most opposed the change. Ties keep their order. */
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

/** Returns the `maxNamed` largest items, largest first. */
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

/** Minimum change in points that is shown as other than zero. */
const visible = 0.005

/**
 * Detects Simpson's paradox. `each` requires that the values account for all counts of the whole, and no rate moved
 * the whole's way. Otherwise the combined effect of the rates opposed the change.
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

/** Returns the direction of a value's rate: the exact sign of c·m − d·n. */
function wayOf({ n, m, c, d }: Known): number {
  const [here, there] = [c * m, d * n]
  if (here !== there && Number.isSafeInteger(here) && Number.isSafeInteger(there))
    return Math.sign(here - there)
  if (![n, m, c, d].every(Number.isSafeInteger)) return Math.sign(here - there)
  const difference = BigInt(c) * BigInt(m) - BigInt(d) * BigInt(n)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

/** Rounds half away from zero, as number formatting does. Never returns negative zero. */
const nearest = (value: number): number => Math.sign(value) * Math.round(Math.abs(value)) + 0

/** Scale of counts per day and points, which are shown with two decimals. */
const hundredths = 100

/**
 * Rounds an explanation to integers that add up: counts, or hundredths of points and of counts per day. The change is
 * that of the rounded rates, as shown elsewhere. The rounding error goes to `others`, or to the first named value if
 * there are no others.
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
 * Sorts explanations, most telling first: those with fewer named values, then those whose named values hold more of
 * all changes. Changes spread over many values, or over all alike, come later. Ties keep their order.
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
