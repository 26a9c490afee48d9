import type { Headers } from './resume.ts'

/** The head of an answer. `length` is null where the body's length is not simply said. */
export type LeanHead = { readonly status: number; readonly headers: Headers; readonly length: number | null }

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/**
 * Reads the head of an answer (RFC 9112), strictly: what is written in any unusual way is none.
 * @param text up to the empty line, without it
 */
export function readHead(text: string): LeanHead | null {
  const [first = '', ...lines] = text.split('\r\n')
  const status = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n\0]*)?$/.exec(first)?.[1]
  if (status === undefined) return null
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '')
    if (colon < 1 || !NAME.test(name) || /[\r\n\0]/.test(value)) return null
    // Two lengths or tags that differ are how one answer is passed off as another.
    if (name in headers && headers[name] !== value && SINGLE.has(name)) return null
    headers[name] ??= value
  }
  return { status: Number(status), headers, length: lengthOf(Number(status), headers) }
}

const SINGLE = new Set([
  'content-length',
  'content-range',
  'etag',
  'last-modified',
  'location',
  'transfer-encoding',
])

function lengthOf(status: number, headers: Readonly<Record<string, string>>): number | null {
  const length = headers['content-length'] ?? ''
  const simple = status >= 200 && headers['transfer-encoding'] === undefined && /^\d{1,15}$/.test(length)
  return simple ? Number(length) : null
}
