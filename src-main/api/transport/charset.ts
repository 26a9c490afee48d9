import { ExchangeEnded } from './deadlines.ts'

/** What a body says, and whether its charset had to be assumed: then its letters may be others. */
export type Decoded = { readonly text: string; readonly assumed: boolean }

/** What a text without a charset is read as where it is no UTF-8: the fallback of the Encoding Standard. */
const FALLBACK = 'windows-1252'

/** Charsets whose bytes may pass for UTF-8 and mean something else; in all others that is as good as impossible. */
const passForUtf8: ReadonlySet<string> = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp'])

/** The charset that a Content-Type header names, by its name in the Encoding Standard. */
function charsetNamed(contentType: string): string | undefined {
  const label = /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1]
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label).encoding
  } catch {
    // A label that nobody knows says nothing.
    return undefined
  }
}

/** The charset of a byte order mark of UTF-16. That of UTF-8 needs none: its decoder takes it off. */
function charsetMarked([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

function decodedAs(charset: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const howOften = (text: string, what: RegExp): number => text.match(what)?.length ?? 0

/** Whether bytes are UTF-8 with some of them lost, rather than another charset: then most of their letters are right. */
function isDamagedUtf8(bytes: Uint8Array): boolean {
  const lenient = new TextDecoder().decode(bytes)
  return howOften(lenient, /[^\0-\x7F\uFFFD]/gu) > howOften(lenient, /\uFFFD/g)
}

/**
 * Decodes a body, never by replacing what cannot be read (specification: authentication, the answer is JSON). What is UTF-8 is
 * read as such, whatever the header says: some services name another charset over it. Else the named one holds.
 * @throws ExchangeEnded where the bytes are no text of the charset that they have to be
 */
export function decodeBody(bytes: Uint8Array, contentType: string): Decoded {
  const named = charsetMarked(bytes) ?? charsetNamed(contentType)
  const utf8 = named !== undefined && passForUtf8.has(named) ? undefined : decodedAs('utf-8', bytes)
  if (utf8 !== undefined) return { text: utf8, assumed: false }
  const assumed = named === undefined
  const text = assumed && isDamagedUtf8(bytes) ? undefined : decodedAs(named ?? FALLBACK, bytes)
  if (text === undefined) throw new ExchangeEnded('charset')
  return { text, assumed }
}
