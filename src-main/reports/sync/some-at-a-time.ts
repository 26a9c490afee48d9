/**
 * Does one thing after the other, so many of them at the same time. After the first that fails, no other is begun.
 * @throws what the first that failed did, once those that were begun are over
 */
export async function someAtATime<T>(
  max: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  let failed: { readonly error: unknown } | null = null
  const one = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await work(item)
      } catch (error) {
        failed ??= { error }
        waiting.length = 0
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, one))
  if (failed !== null) throw (failed as { readonly error: unknown }).error
}
