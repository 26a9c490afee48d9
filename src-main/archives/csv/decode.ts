import { isAscii, isUtf8 } from 'node:buffer'

/** Text encoding: a label of the Encoding Standard. */
export type Encoding = string & { readonly __brand: 'Encoding' }

/** Brands a label of the Encoding Standard. */
export const asEncoding = (label: string) => label as Encoding
export const utf8 = asEncoding('utf-8')

/** Statistics of a decoded text: non-ASCII UTF-8 (`letters`, estimated), invalid bytes with samples, and the encoding that the beginning declares. */
export type OddBytes = {
  letters: number
  bytes: number
  marked: Encoding
  mark: number
  readonly samples: Buffer[]
}

/** Maximum number of samples, and bytes on each side of a sample. Enough to detect an encoding. */
const maxSamples = 1000
const neighbours = 200

/**
 * Converts a table to UTF-8 without a byte order mark. Invalid bytes in UTF-8 become visible escapes, as in `\xE9`; nothing is guessed.
 * @param encoding used unless the beginning shows UTF-16
 * @param odd receives the statistics
 */
export async function* asUtf8(
  pieces: AsyncIterable<Uint8Array>,
  encoding: Encoding,
  odd: OddBytes,
): AsyncGenerator<Buffer> {
  let convert: ((piece: Buffer, last: boolean) => Buffer) | undefined
  let held: Buffer = Buffer.alloc(0)
  const begin = (start: Buffer): Buffer => {
    const marked = encodingOf(start)
    odd.marked = marked.encoding
    odd.mark = marked.mark
    convert = converter(marked.encoding === utf8 ? encoding : marked.encoding, odd)
    return start.subarray(marked.mark)
  }
  for await (const given of pieces) {
    let piece: Buffer =
      held.length > 0
        ? Buffer.concat([held, given])
        : Buffer.from(given.buffer, given.byteOffset, given.byteLength)
    held = Buffer.alloc(0)
    if (!convert && piece.length < 16) {
      held = piece
      continue
    }
    if (!convert) piece = begin(piece)
    const converted = convert?.(piece, false)
    if (converted && converted.length > 0) yield converted
  }
  if (!convert) held = begin(held)
  const rest = convert?.(held, true)
  if (rest && rest.length > 0) yield rest
}

/** Detects a byte order mark, or UTF-16 by the zero bytes beside the first two letters. */
export function encodingOf(start: Buffer): { readonly encoding: Encoding; readonly mark: number } {
  const [a, b, c, d] = start
  // Files that were joined or saved twice may have several marks.
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: utf8, mark: endOfMarks(start) }
  if (a === 0xff && b === 0xfe) return { encoding: asEncoding('utf-16le'), mark: 2 }
  if (a === 0xfe && b === 0xff) return { encoding: asEncoding('utf-16be'), mark: 2 }
  if (a && b === 0 && c && d === 0) return { encoding: asEncoding('utf-16le'), mark: 0 }
  if (a === 0 && b && c === 0 && d) return { encoding: asEncoding('utf-16be'), mark: 0 }
  return { encoding: utf8, mark: 0 }
}

function endOfMarks(start: Buffer): number {
  let end = 3
  while (start.toString('latin1', end, end + 3) === '\xef\xbb\xbf') end += 3
  return end
}

const western = asEncoding('windows-1252')

const signs = '¡¿«»‹›„“”‚‘’–—…•·€£§°©®™´`²³½¼¾×±№\u00a0\u202f'
/** Letters and signs of western texts. */
const westernLetters = new RegExp(`^[\\p{ASCII}äöüßàáâãåæçèéêëìíîïñòóôõøùúûœÿªº${signs}]*$`, 'iu')
/** A sign between letters is a letter of another encoding. */
const signWithin = /\p{L}[¡¿«»‹›„“”‚…•€£§©®™´¹²³½¼¾×±№][\p{L}]|\p{L}[¡¿]|[£³]\p{L}/u

/** Whether a text is not UTF-8. With many letters of UTF-8, the text is damaged or joined UTF-8. */
export const isOtherEncoding = ({ letters, bytes }: OddBytes): boolean => bytes > 0 && letters * 4 < bytes

type Alphabet = { readonly letters: string; readonly others?: string; readonly encodings: readonly string[] }

/** Non-ASCII letters of each language, and the encodings that contain them. */
const languages: readonly Alphabet[] = [
  ...['äöüß', 'àâæçéèêëîïôœùûüÿ', 'áéíóúüñªº', 'ãáàâçéêíóôõúüªº', 'àèéìíîòóùú', 'æøåäöé'].map((letters) => ({
    letters,
    encodings: ['windows-1252'],
  })),
  ...['ąćęłńóśźż', 'áčďéěíľĺňóôřŕšťúůýžä', 'áéíóöőúüű', 'čćđšž', 'ăâîşţ'].map((letters) => ({
    letters,
    encodings: ['windows-1250', 'iso-8859-2'],
  })),
  { letters: 'а-яёіїєґў', encodings: ['windows-1251', 'koi8-u', 'iso-8859-5', 'ibm866'] },
  { letters: 'α-ωάέήίόύώϊϋ', encodings: ['windows-1253', 'iso-8859-7'] },
  { letters: 'çğıİöşü', encodings: ['windows-1254'] },
  { letters: 'ぁ-んァ-ヶー', others: '々一-龠　-」・！-～', encodings: ['shift_jis'] },
]
const alphabets = languages.map(({ letters, encodings, others = '' }) => ({
  test: new RegExp(`^[${letters}${others}${signs}]*$`, 'iu'),
  own: new RegExp(`[${letters}]`, 'giu'),
  encodings,
}))
/** Signs of a wrong encoding: half a word in capitals, two scripts in a word, a letter like a currency beside a number. */
const oddWord = new RegExp(
  [
    String.raw`\p{Ll}(?!\p{ASCII})\p{Lu}|(?!\p{ASCII})\p{Ll}\p{Lu}`,
    String.raw`[A-Za-z][\p{sc=Cyrillic}\p{sc=Greek}]|[\p{sc=Cyrillic}\p{sc=Greek}][A-Za-z]`,
    String.raw`(?<!\p{L})(?!\p{ASCII})[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}](?=\d)|\d ?(?!\p{ASCII})\p{L}(?!\p{L})`,
  ].join('|'),
  'u',
)

type Reading = { readonly encoding: Encoding; readonly text: string; readonly letters: number }

/** Decodes a text in every encoding. Returns the readings whose letters fit one language. */
function readingsOf(bytes: Buffer): readonly Reading[] {
  const readings = new Map<string, Reading>()
  for (const { test, own, encodings } of alphabets)
    for (const encoding of encodings.map(asEncoding)) {
      const text = new TextDecoder(encoding).decode(bytes)
      const beyond = text.replaceAll(/\p{ASCII}/gu, '')
      if (!test.test(beyond) || oddWord.test(text) || signWithin.test(text)) continue
      const letters = new Set(beyond.toLowerCase().match(own)).size
      if (letters === 0) continue
      if (letters > (readings.get(text)?.letters ?? 0)) readings.set(text, { encoding, text, letters })
    }
  return [...readings.values()]
}

/** Number of distinct letters that two readings decode differently. */
const differing = (one: Reading, other: Reading): number => {
  const [letters, others] = [[...one.text.toLowerCase()], [...other.text.toLowerCase()]]
  return new Set(letters.filter((letter, nth) => letter !== others[nth])).size
}

/**
 * Guesses the encoding of bytes that are not UTF-8: by letters of one language, else western, else by a detector.
 * @param samples invalid bytes with their neighbours
 * @returns the encoding, and whether it is certain
 */
export async function guessEncoding(
  samples: readonly Buffer[],
): Promise<{ readonly encoding: Encoding; readonly isSure: boolean }> {
  const bytes = Buffer.concat(samples.flatMap((sample) => [sample, Buffer.from('\n')]))
  const readings = readingsOf(bytes)
  const [only] = readings
  const asWestern = readings.find(({ encoding }) => encoding === western)
  if (asWestern && readings.every((other) => differing(other, asWestern) < 2))
    return { encoding: western, isSure: true }
  if (only && readings.length === 1 && only.letters > 1) return { encoding: only.encoding, isSure: true }
  const text = new TextDecoder(western).decode(bytes)
  if (readings.length === 0 && westernLetters.test(text) && !signWithin.test(text))
    return { encoding: western, isSure: true }
  // Imported on demand: 1.2 MB of models, rarely needed.
  const { chardet } = await import('jschardet')
  const [best] = chardet
    .detectAll(bytes, { ignoreThreshold: true })
    .filter(({ encoding }) => isKnown(encoding))
  if (!best?.encoding) return { encoding: only?.encoding ?? western, isSure: false }
  const encoding = asEncoding(new TextDecoder(best.encoding).encoding)
  return { encoding, isSure: readings.length === 0 && best.confidence >= 0.9 }
}

function isKnown(label: string | null): boolean {
  try {
    return label !== null && new TextDecoder(label).encoding !== utf8
  } catch {
    return false
  }
}

function converter(encoding: Encoding, odd: OddBytes): (piece: Buffer, last: boolean) => Buffer {
  if (encoding === utf8) return utf8Converter(odd)
  const decoder = new TextDecoder(encoding)
  return (piece, last) => Buffer.from(decoder.decode(piece, { stream: !last }))
}

function utf8Converter(odd: OddBytes): (piece: Buffer, last: boolean) => Buffer {
  let cut = Buffer.alloc(0)
  return (piece, last) => {
    const all = cut.length > 0 ? Buffer.concat([cut, piece]) : piece
    const end = last ? all.length : wholeLetters(all)
    cut = Buffer.from(all.subarray(end))
    const whole = all.subarray(0, end)
    if (!isUtf8(whole)) return withOddBytesShown(whole, odd)
    if (!isAscii(whole)) odd.letters += whole.length
    return whole
  }
}

/** Length of a UTF-8 sequence by its first byte; 0 if the byte is invalid. */
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

/** End of the last complete UTF-8 sequence. */
function wholeLetters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const lead = bytes[bytes.length - back] ?? 0
    if (lead < 0x80) return bytes.length
    if (lead >= 0xc0) return lengthOf(lead) > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** Bounds of a sample. It is cut at a byte below `@`, which is never part of a two-byte letter. */
function wordsAround(bytes: Buffer, index: number): readonly [number, number] {
  const [min, max] = [Math.max(0, index - neighbours), Math.min(bytes.length, index + neighbours)]
  let [start, end] = [index, index + 1]
  while (start > min && (start > index - 12 || (bytes[start - 1] ?? 0) >= 0x40)) start -= 1
  while (end < max && (end < index + 12 || (bytes[end] ?? 0) >= 0x40)) end += 1
  return [start, end]
}

function withOddBytesShown(bytes: Buffer, odd: OddBytes): Buffer {
  const parts: Buffer[] = []
  let from = 0
  let sampled = 0
  for (let index = 0; index < bytes.length;) {
    const lead = bytes[index] ?? 0
    const length = lengthOf(lead)
    if (
      length === 1 ||
      (length > 0 && index + length <= bytes.length && isUtf8(bytes.subarray(index, index + length)))
    ) {
      if (length > 1) odd.letters += 1
      index += length
      continue
    }
    odd.bytes += 1
    if (index >= sampled && odd.samples.length < maxSamples) {
      const [start, end] = wordsAround(bytes, index)
      odd.samples.push(Buffer.from(bytes.subarray(Math.max(start, sampled), end)))
      sampled = end
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
