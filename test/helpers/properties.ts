import fc from 'fast-check'
import { runs } from './long.ts'

const asked = process.env['PROPERTY_SEED']

/** Each run is like the last; PROPERTY_SEED=random looks elsewhere, and a seed from such a run repeats it. */
const seed = asked === 'random' ? Date.now() % 2 ** 31 : Number(asked ?? 20261122)

/** As many runs where tests take their time; else a tenth of a hundred and more, and of fewer all. */
export const runsOf = (full: number): number => (full < 100 ? full : runs(Math.ceil(full / 10), full))

/**
 * Checks a property, and prints its seed so that a failure can be repeated with PROPERTY_SEED.
 * @param full its runs where tests take their time
 */
export function checkProperty<T>(name: string, property: fc.IProperty<T>, full = 1000): void {
  const numRuns = runsOf(full)
  console.log(`${name}: PROPERTY_SEED=${seed}, ${numRuns} runs`)
  fc.assert(property, { seed, numRuns })
}

/** The same for a property that takes its time. */
export async function checkAsyncProperty<T>(
  name: string,
  property: fc.IAsyncProperty<T>,
  full: number,
): Promise<void> {
  const numRuns = runsOf(full)
  console.log(`${name}: PROPERTY_SEED=${seed}, ${numRuns} runs`)
  await fc.assert(property, { seed, numRuns })
}

export { seed }
