/** A part of a file, both ends included, as HTTP counts bytes. */
export type ByteRange = { readonly start: number; readonly end: number }

/**
 * Reads a Range header (RFC 9110, 14.2).
 * @param size of the file in bytes
 * @returns `whole` where there is no range, or one that is not understood and so ignored (several parts included)
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const parts = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  const [first, last] = [parts?.[1], parts?.[2]]
  if (!first && !last) return 'whole'
  if (!first) {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  if (last && Number(last) < start) return 'whole'
  if (start >= size) return 'unsatisfiable'
  return { start, end: last ? Math.min(Number(last), size - 1) : size - 1 }
}
