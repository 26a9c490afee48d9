const isLeading = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

/** Orders texts by their code points, the order in which the service breaks ties. */
export function byCodePoints(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  let index = 0
  while (index < shorter && one.charCodeAt(index) === other.charCodeAt(index)) index += 1
  if (index === shorter) return one.length - other.length
  // Where the second halves of two characters differ, the characters begin one unit before.
  const begin = index > 0 && isLeading(one.charCodeAt(index - 1)) ? index - 1 : index
  return pointAt(one, begin) - pointAt(other, begin) || pointAt(one, index) - pointAt(other, index)
}

const pointAt = (text: string, offset: number): number => text.codePointAt(offset) ?? 0

/** File systems take 255 bytes; names stay well below, with room for a number, an ending and a mark of their own. */
const LONGEST_STEM = 96
const MAX_BYTES = 180

/** Names that Windows keeps for devices, whatever follows the first dot; it looks past spaces before that. */
const DEVICE = /^(?:con|conin\$|conout\$|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(?:$|\.)/i

/** Separators and wildcards of any system, control characters, and what turns the reading direction unseen. */
const UNSAFE = /[/\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

const encoder = new TextEncoder()
/** Made with the first name: the tables that it reads come to a megabyte. */
let characters: Intl.Segmenter | undefined

/** How many bytes a file system takes for a name. */
export const bytesOf = (name: string): number => encoder.encode(name).length

/** What a person sees as one character each: a letter with its accents, an emoji with its colour. */
export function charactersOf(text: string): string[] {
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(characters.segment(text), ({ segment }) => segment)
}

/**
 * A file's name without its ending, from text that anybody may have written: no separators, nothing hidden, nothing that
 * a system keeps for itself, at most 96 characters and 180 bytes, cut between two characters as a person sees them.
 *
 * @param otherwise the name where nothing of the text is left
 */
export function safeStem(text: string, otherwise = 'Export'): string {
  const plain = text
    .replace(UNSAFE, ' ')
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '')
  let stem = ''
  // No more is looked at than could ever be taken: a name may be as long as a book.
  for (const character of charactersOf(plain.slice(0, MAX_BYTES))) {
    const longer = stem + character
    if (longer.length > LONGEST_STEM || bytesOf(longer) > MAX_BYTES) break
    stem = longer
  }
  stem = stem.replace(/[. ]+$/, '')
  if (stem === '') return otherwise
  return DEVICE.test(stem) ? `_${stem}` : stem
}

/** Endings of files that people name their exports after. */
const endings = /(?:\.(?:csv|tsv|tab|txt|log|json|parquet|xlsx|pdf|png|zip|gz))+$/i

/** A title without what the name of its file gets anyway: the ending of another file, and the days. It may be empty then. */
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

/** The name that is tried the n-th time: `Report.csv`, `Report (2).csv`, … */
export function numbered(stem: string, ending: string, turn: number): string {
  return `${stem}${turn === 1 ? '' : ` (${turn})`}.${ending}`
}
