/** Rows with a value, and of these the bad ones; among all rows, and of these the bad ones. */
export type Held = { readonly rows: number; readonly bad: number }

/** Terms that are this much smaller than the sum so far add nothing to it. */
const negligible = 1e-17

/**
 * How probable it is that bad rows fall on a value at least as unevenly as they do, in either direction, if every row were as likely to
 * be bad: 0 to 1. Fisher's exact test: the probabilities of all counts that are at most as probable as this one, added up.
 * @param part the rows with the value
 * @param all every row looked at, those of the value among them
 */
export function chanceOf(part: Held, all: Held): number {
  const { rows: n, bad: b } = part
  const { rows: N, bad: B } = all
  if (n <= 0 || n >= N || B <= 0 || B >= N) return 1
  const [min, max] = [Math.max(0, n + B - N), Math.min(n, B)]
  const mode = Math.min(max, Math.max(min, Math.floor(((n + 1) * (B + 1)) / (N + 2))))
  // Counts that are level but for how numbers are rounded count.
  const limit = logProbability(b, n, B, N) + 1e-6
  const isRare = (count: number) => logProbability(count, n, B, N) <= limit
  if (isRare(mode)) return 1
  // On each side of the most probable count probabilities only fall: the first that is small enough begins the side.
  const above = firstWhere(mode, max + 1, isRare)
  const below = -firstWhere(-mode, -min + 1, (count) => isRare(-count))
  const [start, end] = [Math.exp(logProbability(below, n, B, N)), Math.exp(logProbability(above, n, B, N))]
  let sum = 0
  for (let count = above, term = end; count <= max && term > sum * negligible; count += 1) {
    sum += term
    term *= ((B - count) * (n - count)) / ((count + 1) * (N - B - n + count + 1))
  }
  for (let count = below, term = start; count >= min && term > sum * negligible; count -= 1) {
    sum += term
    term *= (count * (N - B - n + count)) / ((B - count + 1) * (n - count + 1))
  }
  return Math.min(1, sum)
}

/** The first of rising whole numbers from which on something holds; `end` where it holds for none before. */
function firstWhere(from: number, end: number, holds: (number: number) => boolean): number {
  let [before, after] = [from - 1, end]
  while (after - before > 1) {
    const between = Math.floor((before + after) / 2)
    if (holds(between)) after = between
    else before = between
  }
  return after
}

/** Of the hypergeometric distribution: `b` bad rows among `n` drawn of `N`, of which `B` are bad. */
const logProbability = (b: number, n: number, B: number, N: number): number =>
  b < 0 || b > n || b > B || n - b > N - B
    ? -Infinity
    : logChoose(B, b) + logChoose(N - B, n - b) - logChoose(N, n)

const logChoose = (n: number, k: number): number => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1)

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const

/** The logarithm of the gamma function, for 1 and more (Lanczos). */
function logGamma(x: number): number {
  const z = x - 1
  const [first, ...others] = lanczos
  const series = others.reduce<number>((sum, other, nth) => sum + other / (z + nth + 1), first)
  const t = z + 7.5
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(series)
}

/**
 * Chances as they are once many values have been tested (Benjamini and Hochberg): of the values whose corrected chance is at most
 * 0.01, one in a hundred is expected to be there by chance.
 * @param chances of values that were tested, in any order; they come back in the same
 * @param tested how many were tested in all: those that are not given are taken to be less telling
 */
export function corrected(chances: readonly number[], tested: number): number[] {
  const order = chances.map((_, nth) => nth).sort((a, b) => (chances[b] ?? 1) - (chances[a] ?? 1))
  const found = [...chances]
  let min = 1
  for (const [place, nth] of order.entries()) {
    const rank = chances.length - place
    min = Math.min(min, ((chances[nth] ?? 1) * Math.max(tested, chances.length)) / rank)
    found[nth] = min
  }
  return found
}
