/** Days that a baseline is fitted to, with equal indexes. `count` is the number of days in use. */
export type BaselineDays = {
  count: number
  /** Transformed figures, and the variance of each that counting alone causes. */
  readonly values: Float64Array
  readonly variances: Float64Array
  /** 0 to 6. */
  readonly weekdays: Uint8Array
  /** Days before the judged days. */
  readonly ages: Uint8Array
}

/** What is usual for a row. */
export type Baseline = {
  readonly level: number
  readonly levelVariance: number
  /** Difference of each weekday from the level. */
  readonly weekdayEffects: Float64Array
  /** Variance from day to day beyond counting. */
  readonly swing: number
}

/** Days before the judged days that a baseline is fitted to: eight of each weekday. */
export const baselineDays = 56
/** Minimum number of usable days: two of each weekday. */
export const minBaselineDays = 14
/** Age in days at which a day has half the weight: levels drift within months. */
const halfLife = 28
const ageWeights = Float64Array.from({ length: baselineDays }, (_, age) => 2 ** (-age / halfLife))
/** Weekday effects are shrunk as if this many days showed none, because eight days say little. */
const shrinkingDays = 4
/** A day moves its weekday's effect by at most this many robust standard deviations. */
const maxWeekdayDeviation = 2
/** Huber's constant in standard deviations: days further off lose weight. */
const huber = 1.5
/** Residuals count for the swing up to this many robust standard deviations. */
const maxSwingDeviation = 2.5
/** Parameters that a fit costs: the level and about three weekday effects after shrinking. */
const fittedParameters = 4
/** The swing of all rows counts as much as this many days of the row itself. */
const pooledDays = 20
/** Swing before the first fit: 3.5 % of a rate near 8 %. */
const firstSwing = 0.0003
/** A median absolute deviation times this is the standard deviation of a normal distribution. */
const normalScale = 1.4826

export function emptyBaselineDays(): BaselineDays {
  return {
    count: 0,
    values: new Float64Array(baselineDays),
    variances: new Float64Array(baselineDays),
    weekdays: new Uint8Array(baselineDays),
    ages: new Uint8Array(baselineDays),
  }
}

/** Returns the median of the first `count` values; NaN without values. Changes their order. */
export function medianInPlace(values: Float64Array, count: number): number {
  if (count === 0) return NaN
  const middle = count >> 1
  const upper = select(values, count, middle)
  if (count % 2 === 1) return upper
  let lower = -Infinity
  for (let index = 0; index < middle; index += 1) lower = Math.max(lower, values[index] ?? 0)
  return (upper + lower) / 2
}

/** Hoare's selection: moves the value of a rank to its place, lower values before it. */
function select(values: Float64Array, count: number, rank: number): number {
  let [left, right] = [0, count - 1]
  while (left < right) {
    const pivot = values[(left + right) >> 1] ?? 0
    let [low, high] = [left, right]
    while (low <= high) {
      while ((values[low] ?? 0) < pivot) low += 1
      while ((values[high] ?? 0) > pivot) high -= 1
      if (low > high) break
      const value = values[low] ?? 0
      values[low] = values[high] ?? 0
      values[high] = value
      low += 1
      high -= 1
    }
    if (rank <= high) right = high
    else if (rank >= low) left = low
    else break
  }
  return values[rank] ?? NaN
}

/** Working memory of a fit: fits are made one after the other. */
const scratch = new Float64Array(baselineDays)

function medianOf(values: Float64Array, count: number): number {
  scratch.set(values)
  return medianInPlace(scratch, count)
}

/** Returns the standard deviation of a normal distribution with the same median absolute deviation. */
export function robustDeviation(values: Float64Array, count: number, centre: number): number {
  for (let index = 0; index < count; index += 1) scratch[index] = Math.abs((values[index] ?? 0) - centre)
  return normalScale * medianInPlace(scratch, count)
}

type Fit = Omit<Baseline, 'swing'> & { readonly ownSwing: number }

/**
 * Fits the baselines of all rows. Swings are pooled, because one row's days say little about its own.
 * @returns null for rows with fewer than `minBaselineDays`
 */
export function fitBaselines(rows: readonly BaselineDays[]): (Baseline | null)[] {
  let swings = rows.map(() => firstSwing)
  let fits: (Fit | null)[] = []
  for (let round = 0; round < 2; round += 1) {
    fits = rows.map((days, row) => (days.count < minBaselineDays ? null : fit(days, swings[row] ?? 0)))
    const known = Float64Array.from(fits.flatMap((each) => each?.ownSwing ?? []))
    const pooled = medianInPlace(known, known.length)
    swings = fits.map((each, row) => {
      const count = rows[row]?.count ?? 0
      return each ? (count * each.ownSwing + pooledDays * pooled) / (count + pooledDays) : 0
    })
  }
  return fits.map((each, row) => {
    if (!each) return null
    const { level, weekdayEffects, levelVariance } = each
    return { level, weekdayEffects, levelVariance, swing: swings[row] ?? 0 }
  })
}

function fit(days: BaselineDays, swing: number): Fit {
  const { count, values, variances } = days
  const weekdayEffects = weekdayEffectsOf(days, swing)
  const residuals = new Float64Array(count)
  for (let index = 0; index < count; index += 1)
    residuals[index] = (values[index] ?? 0) - (weekdayEffects[days.weekdays[index] ?? 0] ?? 0)
  const { level, levelVariance } = levelOf(days, residuals, swing)
  let counting = 0
  for (let index = 0; index < count; index += 1) {
    residuals[index] = (residuals[index] ?? 0) - level
    counting += variances[index] ?? 0
  }
  const limit = maxSwingDeviation * robustDeviation(residuals, count, 0)
  let squares = 0
  for (let index = 0; index < count; index += 1)
    squares += Math.min(Math.abs(residuals[index] ?? 0), limit) ** 2
  const own = (squares - (1 - fittedParameters / count) * counting) / (count - fittedParameters)
  return { level, weekdayEffects, levelVariance, ownSwing: Math.max(0, own) }
}

/** Weighted means of the deviations from the median, shrunk towards zero. */
function weekdayEffectsOf({ count, values, variances, weekdays }: BaselineDays, swing: number): Float64Array {
  const median = medianOf(values, count)
  const limit = maxWeekdayDeviation * robustDeviation(values, count, median)
  const [sums, weights] = [new Float64Array(7), new Float64Array(7)]
  let all = 0
  for (let index = 0; index < count; index += 1) {
    const weekday = weekdays[index] ?? 0
    const weight = 1 / ((variances[index] ?? 0) + swing)
    const deviation = Math.min(Math.max((values[index] ?? 0) - median, -limit), limit)
    sums[weekday] = (sums[weekday] ?? 0) + weight * deviation
    weights[weekday] = (weights[weekday] ?? 0) + weight
    all += weight
  }
  for (let weekday = 0; weekday < 7; weekday += 1)
    sums[weekday] = (sums[weekday] ?? 0) / ((weights[weekday] ?? 0) + (shrinkingDays * all) / count)
  return sums
}

/** Huber's mean with weights that halve with age. */
function levelOf({ count, variances, ages }: BaselineDays, values: Float64Array, swing: number) {
  let level = medianOf(values, count)
  let levelVariance = 0
  for (let round = 0; round < 2; round += 1) {
    let [sum, weights, squares] = [0, 0, 0]
    for (let index = 0; index < count; index += 1) {
      const variance = (variances[index] ?? 0) + swing
      const value = values[index] ?? 0
      const deviation = Math.abs(value - level) / Math.sqrt(variance)
      const weight =
        ((ageWeights[ages[index] ?? 0] ?? 0) / variance) * Math.min(1, huber / Math.max(deviation, 1e-9))
      sum += weight * value
      weights += weight
      squares += weight * weight * variance
    }
    level = sum / weights
    levelVariance = squares / (weights * weights)
  }
  return { level, levelVariance }
}
