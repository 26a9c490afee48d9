/** What a promise brings; an error that says what is missing where that takes longer than so many milliseconds. */
export async function within<T>(limit: number, promise: Promise<T>, missing: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${missing}, not within ${limit / 1000} s`)), limit)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
