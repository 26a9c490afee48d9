/** Choices at random, from one source of numbers. */
export type Random = {
  readonly chance: (share: number) => boolean
  readonly below: (max: number) => number
  readonly one: <T>(of: readonly T[]) => T
}

/** @param random numbers from 0 to 1 */
export function randomBy(random: () => number): Random {
  const below = (max: number) => Math.floor(random() * max)
  const one = <T>(of: readonly T[]): T => {
    if (of.length === 0) throw new TypeError('There is none')
    return of[below(of.length)] as T
  }
  return { below, one, chance: (share) => random() < share }
}
