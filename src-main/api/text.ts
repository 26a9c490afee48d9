/** A whole number that may be beyond those that a JavaScript number tells apart, or the beginning of another number. */
const longNumber = /(?<![\d.eE+-])-?\d{16,}(?:\.\d+)?(?:[eE][+-]?\d+)?/g
/** Digits of such a number, or of a text: most answers have none, and are parsed as they are. */
const mayHaveOne = /\d{16}/

/** Where the text that begins at `open` ends: behind its closing quote. */
function endOfText(json: string, open: number): number {
  for (let quote = json.indexOf('"', open + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let first = quote
    while (json[first - 1] === '\\') first -= 1
    if ((quote - first) % 2 === 0) return quote + 1
  }
  return json.length
}

const asText = (number: string) =>
  /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number)) ? `"${number}"` : number

/** JSON with such numbers as texts. What stands in texts stays as it is. */
function longNumbersAsTexts(json: string): string {
  if (!mayHaveOne.test(json)) return json
  const written: string[] = []
  let from = 0
  while (from < json.length) {
    const quote = json.indexOf('"', from)
    const open = quote < 0 ? json.length : quote
    const end = endOfText(json, open)
    written.push(json.slice(from, open).replace(longNumber, asText), json.slice(open, end))
    from = end
  }
  return written.join('')
}

/**
 * Parses JSON. A whole number that would lose digits comes as text, so that the ids of two instances stay two.
 * @throws SyntaxError where it is no JSON
 */
export function parseJson(json: string): unknown {
  return JSON.parse(longNumbersAsTexts(json))
}

/** How many bytes the UTF-8 sequence that begins with this byte has; 0 where none begins with it. */
function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1
  if (lead >= 0xc2 && lead <= 0xdf) return 2
  if (lead >= 0xe0 && lead <= 0xef) return 3
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0
}

/** Whether the second byte fits its lead: no overlong forms, no surrogates, nothing above U+10FFFF. */
function fits(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0
  if (lead === 0xed) return second < 0xa0
  if (lead === 0xf0) return second >= 0x90
  return lead === 0xf4 ? second < 0x90 : true
}

/** The length in bytes of the whole, valid UTF-8 sequence at `from`; 0 where there is none. */
function validSequence(bytes: readonly number[], from: number): number {
  const lead = bytes[from] ?? 0
  const length = sequenceLength(lead)
  if (length === 0 || from + length > bytes.length) return 0
  if (length > 1 && !fits(lead, bytes[from + 1] ?? 0)) return 0
  for (let index = from + 1; index < from + length; index += 1) {
    if (((bytes[index] ?? 0) & 0xc0) !== 0x80) return 0
  }
  return length
}

/** Decodes an unbroken run of escapes; bytes that are no UTF-8 stay escaped as they were. */
function decodeRun(run: string): string {
  const bytes = Array.from({ length: run.length / 3 }, (_, index) =>
    Number.parseInt(run.slice(index * 3 + 1, index * 3 + 3), 16),
  )
  let decoded = ''
  for (let index = 0; index < bytes.length;) {
    const length = validSequence(bytes, index)
    const escapes = run.slice(index * 3, (index + Math.max(length, 1)) * 3)
    decoded += length > 0 ? decodeURIComponent(escapes) : escapes
    index += Math.max(length, 1)
  }
  return decoded
}

/**
 * Decodes URL-encoded text (specification: conventions for values). `%20` and `+` are spaces, `%2B` is a plus. What is
 * no escape (`%zz`, a lone `%`) and escapes that make no UTF-8 stay exactly as they came, while those around them
 * are decoded (field notes: values).
 */
export function decodeText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, decodeRun)
  }
}

/** Whether there is anything to decode in a text. */
export const isEscaped = (text: string): boolean => text.includes('%') || text.includes('+')

/** Decodes many texts, the same as each on its own; at once, because a table has a label in each of 1,000 rows. */
export function decodeTexts(texts: readonly string[]): readonly string[] {
  const joined = texts.join('\n')
  try {
    const decoded = decodeURIComponent(joined.replaceAll('+', ' ')).split('\n')
    // Texts with line breaks of their own, encoded or not, would come apart elsewhere.
    if (decoded.length === texts.length) return decoded
  } catch {
    // One of them is broken: only it must stay as it came.
  }
  return texts.map(decodeText)
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads a cell that holds an encoded JSON object (specification: sessions). A service may encode the object as a whole,
 * or only the texts in it; the first character tells, because an encoded brace is `%7B`.
 * @returns the object, with its text members decoded; undefined where the cell holds no object
 */
export function decodeObjectText(cell: string): Readonly<Record<string, unknown>> | undefined {
  const plain = cell.startsWith('{') ? parsed(cell) : undefined
  if (isObject(plain)) {
    const members = Object.entries(plain).filter(([name]) => name !== '__proto__')
    return Object.fromEntries(
      members.map(([name, value]) => [name, typeof value === 'string' ? decodeText(value) : value]),
    )
  }
  const whole = parsed(decodeText(cell))
  return isObject(whole) ? whole : undefined
}
