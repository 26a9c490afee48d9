const isLeading = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

/** Compares texts by code points, as the service does to break ties. */
export function byCodePoints(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  let index = 0
  while (index < shorter && one.charCodeAt(index) === other.charCodeAt(index)) index += 1
  if (index === shorter) return one.length - other.length
  // If the low surrogates differ, the characters start one unit earlier.
  const begin = index > 0 && isLeading(one.charCodeAt(index - 1)) ? index - 1 : index
  return pointAt(one, begin) - pointAt(other, begin) || pointAt(one, index) - pointAt(other, index)
}

const pointAt = (text: string, offset: number): number => text.codePointAt(offset) ?? 0

/** File systems allow names of 255 bytes. A number, an extension and a mark must fit as well. */
const LONGEST_STEM = 96
const MAX_BYTES = 180

/** Device names that Windows reserves, with any extension and with spaces before the extension. */
const DEVICE = /^(?:con|conin\$|conout\$|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(?:$|\.)/i

/** Separators and wildcards of any system, control characters, and invisible direction marks. */
const UNSAFE = /[/\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

const encoder = new TextEncoder()
/** Created on first use, because its tables take a megabyte. */
let characters: Intl.Segmenter | undefined

/** Returns the length of a file name in UTF-8 bytes. */
export const bytesOf = (name: string): number => encoder.encode(name).length

/** Splits a text into user-perceived characters: a letter with its accents, an emoji with its modifiers. */
export function charactersOf(text: string): string[] {
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(characters.segment(text), ({ segment }) => segment)
}

/**
 * Converts any text to a valid file name without extension: no separators, invisible characters or reserved names. The
 * result has at most 96 characters and 180 bytes, and never ends inside a user-perceived character.
 * @param otherwise the name to use if nothing of the text remains
 */
export function safeStem(text: string, otherwise = 'Export'): string {
  const plain = text
    .replace(UNSAFE, ' ')
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '')
  let stem = ''
  // Only as much text as could fit is segmented, because the input may be very long.
  for (const character of charactersOf(plain.slice(0, MAX_BYTES))) {
    const longer = stem + character
    if (longer.length > LONGEST_STEM || bytesOf(longer) > MAX_BYTES) break
    stem = longer
  }
  stem = stem.replace(/[. ]+$/, '')
  if (stem === '') return otherwise
  return DEVICE.test(stem) ? `_${stem}` : stem
}

/** Extensions that users type at the end of a title. */
const endings = /(?:\.(?:csv|tsv|tab|txt|log|json|parquet|xlsx|pdf|png|zip|gz))+$/i

/** Removes parts that the file name gets anyway: an extension, and the days. The result may be empty. */
export function bareTitle(
  title: string,
  days: { readonly start: string; readonly end: string } | null,
): string {
  const plain = title.trim().replace(endings, '')
  if (days === null) return plain
  const { start, end } = days
  const range = start === end ? start : `${start} *(?:to|[-–—/]) *${end}`
  return plain.replace(new RegExp(`[ ,:(–—-]*\\b${range}\\)?$`), '')
}

/** Returns the file name for the n-th attempt: `Report.csv`, `Report (2).csv`, … */
export function numbered(stem: string, ending: string, turn: number): string {
  return `${stem}${turn === 1 ? '' : ` (${turn})`}.${ending}`
}

/** Limits in characters and bytes. Names are shortened, the longest first, so that days remain complete. */
const maxCharacters = 96
const maxBytes = 160
/** Maximum length of a pattern, in characters. Longer ones are an accident. */
const longestPattern = 200

const isLong = (stem: string) => stem.length > maxCharacters || bytesOf(stem) > maxBytes

/**
 * Returns a file name without extension from a pattern with parts in braces. The parts are untrusted: the result is valid
 * on every system and contains no path.
 * @param names parts that may be shortened
 * @param otherwise the name if nothing is left
 */
export function stemOfPattern<Part extends string>(
  pattern: string,
  given: Readonly<Record<Part, string>>,
  names: readonly NoInfer<Part>[],
  otherwise: string,
): string {
  const parts = new Map<string, string>(Object.entries(given))
  const filled = () =>
    pattern
      .slice(0, longestPattern)
      .replaceAll(/\{([^{}]*)\}/g, (whole, part: string) => parts.get(part) ?? whole)
      .replace(/\s+/g, ' ')
  const lengthOf = (name: Part) => parts.get(name)?.length ?? 0
  for (;;) {
    const [longest] = names.toSorted((one, other) => lengthOf(other) - lengthOf(one))
    if (longest === undefined || lengthOf(longest) === 0 || !isLong(filled())) break
    parts.set(
      longest,
      charactersOf(parts.get(longest) ?? '')
        .slice(0, -1)
        .join('')
        .trimEnd(),
    )
  }
  return safeStem(filled(), safeStem(parts.get('name') ?? '', otherwise))
}

/** Returns the names in braces that are no parts of a pattern. */
export const unknownPartsOf = (pattern: string, parts: readonly string[]): string[] =>
  [...pattern.matchAll(/\{([^{}]*)\}/g)].map(([, part = '']) => part).filter((part) => !parts.includes(part))
