import { isUtf8 } from 'node:buffer'

/** What a table's text was found to be. */
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/**
 * The bytes of a table as UTF-8 without a mark at the beginning, however they came. A byte that is no UTF-8 is written as `\xE9`, so
 * that it can be seen and nothing is guessed.
 */
export async function* asUtf8(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let convert: ((piece: Buffer, last: boolean) => Buffer) | undefined
  let held = Buffer.alloc(0)
  for await (const given of pieces) {
    const piece = Buffer.concat([held, given])
    held = Buffer.alloc(0)
    if (!convert && piece.length < 4) {
      held = piece
      continue
    }
    const { encoding, mark } = convert ? { encoding: null, mark: 0 } : encodingOf(piece)
    convert ??= encoding === 'utf-8' ? utf8Converter() : utf16Converter(encoding === 'utf-16be')
    const converted = convert(piece.subarray(mark), false)
    if (converted.length > 0) yield converted
  }
  const { encoding, mark } = encodingOf(held)
  convert ??= encoding === 'utf-8' ? utf8Converter() : utf16Converter(encoding === 'utf-16be')
  const rest = convert(held.subarray(mark), true)
  if (rest.length > 0) yield rest
}

/** By the mark at the beginning; without one, UTF-16 shows by the zero bytes beside the first two letters. */
export function encodingOf(start: Buffer): { readonly encoding: Encoding; readonly mark: number } {
  const [a, b, c, d] = start
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', mark: 3 }
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', mark: 2 }
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', mark: 2 }
  if (a && b === 0 && c && d === 0) return { encoding: 'utf-16le', mark: 0 }
  if (a === 0 && b && c === 0 && d) return { encoding: 'utf-16be', mark: 0 }
  return { encoding: 'utf-8', mark: 0 }
}

function utf16Converter(isBig: boolean): (piece: Buffer, last: boolean) => Buffer {
  const decoder = new TextDecoder('utf-16le')
  let odd = Buffer.alloc(0)
  return (piece, last) => {
    const all = Buffer.concat([odd, piece])
    const even = all.length - (all.length % 2)
    odd = all.subarray(even)
    const whole = all.subarray(0, even)
    if (isBig) whole.swap16()
    return Buffer.from(decoder.decode(whole, { stream: !last }))
  }
}

function utf8Converter(): (piece: Buffer, last: boolean) => Buffer {
  let cut = Buffer.alloc(0)
  return (piece, last) => {
    const all = cut.length > 0 ? Buffer.concat([cut, piece]) : piece
    const end = last ? all.length : wholeLetters(all)
    cut = Buffer.from(all.subarray(end))
    const whole = all.subarray(0, end)
    return isUtf8(whole) ? whole : withOddBytesShown(whole)
  }
}

/** How many bytes a letter has that begins with this one; 0 where none does. */
const lengthOf = (lead: number): number =>
  lead < 0x80
    ? 1
    : lead >= 0xc2 && lead < 0xe0
      ? 2
      : lead >= 0xe0 && lead < 0xf0
        ? 3
        : lead >= 0xf0 && lead < 0xf5
          ? 4
          : 0

/** The end of the last letter that is all there. */
function wholeLetters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const lead = bytes[bytes.length - back] ?? 0
    if (lead < 0x80) return bytes.length
    if (lead >= 0xc0) return lengthOf(lead) > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

function withOddBytesShown(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (let index = 0; index < bytes.length;) {
    const lead = bytes[index] ?? 0
    const length = lengthOf(lead)
    if (
      length === 1 ||
      (length > 0 && index + length <= bytes.length && isUtf8(bytes.subarray(index, index + length)))
    ) {
      index += length
      continue
    }
    parts.push(
      bytes.subarray(from, index),
      Buffer.from(`\\x${lead.toString(16).toUpperCase().padStart(2, '0')}`),
    )
    index += 1
    from = index
  }
  return Buffer.concat([...parts, bytes.subarray(from)])
}
