import fc from 'fast-check'

const asked = process.env['PROPERTY_SEED']

/** Each run is like the last; PROPERTY_SEED=random looks elsewhere, and a seed from such a run repeats it. */
const seed = asked === 'random' ? Date.now() % 2 ** 31 : Number(asked ?? 20261122)

/** Checks a property, and prints its seed so that a failure can be repeated with PROPERTY_SEED. */
export function checkProperty<T>(name: string, property: fc.IProperty<T>, numRuns = 1000): void {
  console.log(`${name}: PROPERTY_SEED=${seed}, ${numRuns} runs`)
  fc.assert(property, { seed, numRuns })
}

/** The same for a property that takes its time. */
export async function checkAsyncProperty<T>(
  name: string,
  property: fc.IAsyncProperty<T>,
  numRuns: number,
): Promise<void> {
  console.log(`${name}: PROPERTY_SEED=${seed}, ${numRuns} runs`)
  await fc.assert(property, { seed, numRuns })
}

export { seed }
