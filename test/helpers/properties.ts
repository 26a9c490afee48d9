import fc from 'fast-check'

/** A seed from the environment repeats a run; otherwise each run looks elsewhere. */
const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 2 ** 31)

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
