import { maxCellOfSheet } from '#shared/archives/rows.ts'

const ESCAPE_LIKE = /_(?=x[0-9a-fA-F]{4}_)/g
/** Characters that XML cannot hold or that XML parsers change: control characters, and blanks at either end. */
const UNHELD = /[\u0000-\u0008\u000b-\u001f\u007f]|^[\t\n ]|[\t\n ]$/g

const escapeCharacter = (character: string) =>
  `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`

/**
 * Converts a text for a cell of XLSX, with the format's own escapes like `_x000D_` (ECMA-376: ST_Xstring). Lone surrogates and
 * non-characters become U+FFFD. A text that is too long for a cell is cut and ends with “…”.
 */
export function cellText(text: string): string {
  return shorten(text.replace(/[\p{Cs}\uFFFE\uFFFF]/gu, '\uFFFD'), maxCellOfSheet)
    .replace(ESCAPE_LIKE, '_x005F_')
    .replace(UNHELD, escapeCharacter)
}

/** Truncates a text to at most `longest` UTF-16 units, never within a character. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text
  const end = longest - 1
  const split = /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
  return `${text.slice(0, split ? end - 1 : end)}…`
}
