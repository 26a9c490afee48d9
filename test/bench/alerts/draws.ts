import { randomFrom } from '#test/helpers/random.ts'

/** Random draws from one seed. */
export type Draws = {
  readonly uniform: (from: number, to: number) => number
  readonly chance: (probability: number) => boolean
  readonly normal: () => number
  /** Student's t with 5 degrees of freedom, scaled to variance 1: heavier tails than the normal distribution. */
  readonly heavy: () => number
  readonly gamma: (shape: number) => number
  readonly poisson: (mean: number) => number
  readonly binomial: (trials: number, probability: number) => number
}

/** Degrees of freedom of `heavy`. */
const tails = 5

/** Above this mean or variance, counts are drawn as rounded normal numbers. */
const large = 60

export function drawsFrom(seed: number): Draws {
  const random = randomFrom(seed)
  const chance = (probability: number) => random() < probability
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const rounded = (mean: number, variance: number) =>
    Math.max(0, Math.round(mean + Math.sqrt(variance) * normal()))
  // Marsaglia and Tsang (2000), with their step for shapes below 1.
  const gamma = (shape: number): number => {
    if (shape < 1) return gamma(shape + 1) * (1 - random()) ** (1 / shape)
    const d = shape - 1 / 3
    for (;;) {
      const x = normal()
      const v = (1 + x / Math.sqrt(9 * d)) ** 3
      if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
    }
  }
  const poisson = (mean: number) => {
    if (mean > large) return rounded(mean, mean)
    let [count, left] = [0, Math.exp(-mean)]
    for (let product = random(); product > left; product *= random()) count += 1
    return count
  }
  const binomial = (trials: number, probability: number): number => {
    if (probability > 0.5) return trials - binomial(trials, 1 - probability)
    const variance = trials * probability * (1 - probability)
    if (variance > large) return Math.min(trials, rounded(trials * probability, variance))
    if (trials < 20) {
      let count = 0
      for (let trial = 0; trial < trials; trial += 1) if (chance(probability)) count += 1
      return count
    }
    // Gaps between successes are geometric.
    let count = -1
    for (let place = 0; place <= trials; count += 1)
      place += 1 + Math.floor(Math.log(1 - random()) / Math.log(1 - Math.max(probability, 1e-12)))
    return Math.max(0, count)
  }
  const heavy = () => (normal() / Math.sqrt(gamma(tails / 2) / (tails / 2))) * Math.sqrt((tails - 2) / tails)
  return {
    uniform: (from, to) => from + (to - from) * random(),
    chance,
    normal,
    heavy,
    gamma,
    poisson,
    binomial,
  }
}
