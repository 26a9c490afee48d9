type Points = readonly (readonly [number, number])[]

const meanOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length

/**
 * How much the second of each pair grows with the first, by the line that fits best, and how far off that may be by chance:
 * twice its standard error.
 */
export function slopeOf(points: Points): { readonly slope: number; readonly error: number } {
  const [x, y] = [meanOf(points.map(([at]) => at)), meanOf(points.map(([, value]) => value))]
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  const slope = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / spread
  const rest = points.reduce((sum, [at, value]) => sum + (value - y - slope * (at - x)) ** 2, 0)
  return { slope, error: 2 * Math.sqrt(rest / (points.length - 2) / spread) }
}

/** The middle one of each quarter of some values, in their order. */
export const quartersOf = (values: readonly number[]): readonly number[] =>
  [0, 1, 2, 3].map((place) => {
    const quarter = values.slice((place * values.length) / 4, ((place + 1) * values.length) / 4)
    return quarter.toSorted((one, other) => one - other)[Math.floor(quarter.length / 2)] ?? 0
  })
