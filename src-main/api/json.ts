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
