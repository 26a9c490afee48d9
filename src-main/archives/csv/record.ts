/** The longest record that is read as one, in bytes; what is longer is counted as unreadable. */
export const longestRecord = 4 << 20

/** What separates cells: one byte. */
export type Delimiter = ',' | ';' | '\t'

/** A record found in bytes (RFC 4180): where it ends, behind its line break; and how many cells it has. */
export type Found =
  | { readonly kind: 'record'; readonly cells: number; readonly last: number; readonly next: number }
  /** Bytes end before the record does. */
  | { readonly kind: 'cut' }
  /** A quoted cell goes on behind its quote. */
  | { readonly kind: 'broken' }

const quote = 34
const feed = 10
const carriage = 13

/**
 * Finds the end of the record that begins at a place.
 * @param isLast whether nothing follows these bytes
 */
export function findRecord(bytes: Buffer, from: number, delimiter: number, isLast: boolean): Found {
  let cells = 1
  let at = from
  const length = bytes.length
  for (;;) {
    if (bytes[at] === quote) {
      at += 1
      for (;;) {
        at = bytes.indexOf(quote, at)
        if (at < 0) return { kind: 'cut' }
        if (bytes[at + 1] !== quote) break
        at += 2
      }
      at += 1
      if (at < length && bytes[at] !== delimiter && bytes[at] !== feed && bytes[at] !== carriage)
        return { kind: 'broken' }
    }
    while (at < length && bytes[at] !== delimiter && bytes[at] !== feed && bytes[at] !== carriage) at += 1
    if (at >= length) return isLast ? { kind: 'record', cells, last: length, next: length } : { kind: 'cut' }
    if (bytes[at] === delimiter) {
      cells += 1
      at += 1
      continue
    }
    // Whether a line feed belongs to the carriage return before it is seen with the next byte.
    if (bytes[at] === carriage && at + 1 >= length && !isLast) return { kind: 'cut' }
    const next = at + (bytes[at] === carriage && bytes[at + 1] === feed ? 2 : 1)
    return { kind: 'record', cells, last: at, next }
  }
}

/** Where the line goes on after the one that begins at a place; undefined where its end is not there yet. */
export function nextLine(bytes: Buffer, from: number, isLast: boolean): number | undefined {
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] === feed) return at + 1
    if (bytes[at] !== carriage) continue
    if (at + 1 >= bytes.length && !isLast) return undefined
    return at + (bytes[at + 1] === feed ? 2 : 1)
  }
  return isLast ? bytes.length : undefined
}

/** The cells of a record, without the quotes around them. */
export function cellsOf(record: string, delimiter: Delimiter): string[] {
  const cells: string[] = []
  for (let at = 0; at <= record.length;) {
    if (record[at] === '"') {
      const [quoted = ''] = /^"(?:[^"]|"")*"?/.exec(record.slice(at)) ?? []
      cells.push(
        quoted.slice(1, quoted.endsWith('"') && quoted.length > 1 ? -1 : undefined).replaceAll('""', '"'),
      )
      const end = record.indexOf(delimiter, at + quoted.length)
      at = end < 0 ? record.length + 1 : end + 1
    } else {
      const end = record.indexOf(delimiter, at)
      cells.push(record.slice(at, end < 0 ? undefined : end))
      at = end < 0 ? record.length + 1 : end + 1
    }
  }
  return cells
}
