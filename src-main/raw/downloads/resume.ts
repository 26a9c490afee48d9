/** Headers of an answer, by names in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

export const header = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/**
 * What If-Range may be given, so that a part is continued only with the same file (RFC 9110, 13.1.5): a strong tag, or a
 * date that is strong because it lay back when the answer was made. Null where an answer has neither.
 */
export function validatorOf(headers: Headers): string | null {
  const tag = header(headers, 'etag')
  if (tag !== undefined && /^"[^"\r\n]{1,500}"$/.test(tag)) return tag
  const changed = header(headers, 'last-modified')
  const age = Date.parse(header(headers, 'date') ?? '') - Date.parse(changed ?? '')
  return changed !== undefined && age >= 1000 ? changed : null
}

/** What there is of a file, and what it was continued with. */
export type Part = { readonly got: number; readonly validator: string | null }

/** The headers that ask for what is missing; of what cannot be continued, all of it is asked for. */
export function rangeHeaders({ got, validator }: Part): Record<string, string> {
  return got > 0 && validator !== null ? { range: `bytes=${got}-`, 'if-range': validator } : {}
}

/** What an answer means for what is there already. */
export type Continuation =
  /** What comes belongs at `from`; the whole has `size` bytes, where that is said. */
  | { readonly kind: 'body'; readonly from: number; readonly size: number | null }
  /** Nothing is missing. */
  | { readonly kind: 'whole' }
  /** It is another file, or the server is not to be understood: begin again. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused'; readonly status: number }

/** Reads an answer to a request for `part` (RFC 9110, 14.4 and 15.3.7). */
export function continuationOf(status: number, headers: Headers, part: Part): Continuation {
  const range = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(header(headers, 'content-range')?.trim() ?? '')
  if (status === 416) return range?.[3] === String(part.got) ? { kind: 'whole' } : { kind: 'changed' }
  if (status === 200) return { kind: 'body', from: 0, size: lengthOf(headers) }
  if (status !== 206) return { kind: 'refused', status }
  const [from, to, size] = [Number(range?.[1]), Number(range?.[2]), Number(range?.[3])]
  const tag = validatorOf(headers)
  const same = tag === null || !tag.startsWith('"') || tag === part.validator
  if (!same || from !== part.got || !Number.isSafeInteger(to) || !Number.isSafeInteger(size))
    return { kind: 'changed' }
  // A part of what is missing would do no harm, but nobody asked for one.
  return to === size - 1 ? { kind: 'body', from, size } : { kind: 'changed' }
}

function lengthOf(headers: Headers): number | null {
  const length = header(headers, 'content-length') ?? ''
  return /^\d{1,15}$/.test(length) ? Number(length) : null
}
