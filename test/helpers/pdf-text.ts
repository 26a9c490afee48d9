import { inflateSync } from 'node:zlib'

/** An object of a PDF: its dictionary as it is written, and its stream, unpacked. */
type PdfObject = { readonly words: string; readonly stream: string }

/** Objects by their numbers, of files as Chromium writes them: plain, without streams of objects. */
function objectsOf(bytes: Buffer): ReadonlyMap<number, PdfObject> {
  const text = bytes.toString('latin1')
  const objects = new Map<number, PdfObject>()
  for (const { 1: number = '', index } of text.matchAll(/(?:^|\n)(\d+) 0 obj\b/g)) {
    const end = text.indexOf('endobj', index)
    const body = text.slice(index, end)
    const begin = /stream\r?\n/.exec(body)
    const words = begin ? body.slice(0, begin.index) : body
    const length = Number(/\/Length (\d+)/.exec(words)?.[1] ?? 0)
    const from = begin ? index + begin.index + begin[0].length : 0
    const packed = bytes.subarray(from, from + length)
    const stream = !begin
      ? ''
      : words.includes('/FlateDecode')
        ? inflateSync(packed).toString('latin1')
        : packed.toString('latin1')
    objects.set(Number(number), { words, stream })
  }
  return objects
}

const numbersIn = (text: string | undefined): number[] =>
  [...(text ?? '').matchAll(/(\d+) 0 R/g)].map(([, number]) => Number(number))

/** What a font's codes mean (PDF: ToUnicode). */
function lettersOf(map: string): ReadonlyMap<number, string> {
  const letters = new Map<number, string>()
  const unhex = (hex: string) => Buffer.from(hex, 'hex').swap16().toString('utf16le')
  for (const [, lines = ''] of map.matchAll(/beginbfchar([\s\S]*?)endbfchar/g))
    for (const [, code = '', to = ''] of lines.matchAll(/<([0-9a-f]+)>\s*<([0-9a-f]+)>/gi))
      letters.set(parseInt(code, 16), unhex(to))
  for (const [, lines = ''] of map.matchAll(/beginbfrange([\s\S]*?)endbfrange/g))
    for (const [, from = '', to = '', first = ''] of lines.matchAll(
      /<([0-9a-f]+)>\s*<([0-9a-f]+)>\s*<([0-9a-f]+)>/gi,
    ))
      for (let code = parseInt(from, 16); code <= parseInt(to, 16); code += 1)
        letters.set(code, String.fromCodePoint(parseInt(first, 16) + code - parseInt(from, 16)))
  return letters
}

/** The text of a stream that draws, with what it draws besides; codes of two bytes, or of one in fonts of type 3. */
function textOf(
  { words, stream }: PdfObject,
  resources: string,
  objects: ReadonlyMap<number, PdfObject>,
): string {
  const own = /\/Resources/.test(words) ? resourcesOf(words, objects) : resources
  const named = (name: string) => numbersIn(new RegExp(`/${name} \\d+ 0 R`).exec(own)?.[0])[0]
  let letters: ReadonlyMap<number, string> = new Map()
  let wide = true
  let text = ''
  const parts = /\/(\w+) [\d.]+ Tf|\/(\w+) Do|<([0-9a-fA-F]*)>|(T[jJ*dm]|ET)\b/g
  for (const [, font, drawn, hex, operator] of stream.matchAll(parts)) {
    if (font !== undefined) {
      const found = objects.get(named(font) ?? 0)?.words ?? ''
      wide = !found.includes('/Type3')
      letters = lettersOf(
        objects.get(numbersIn(/\/ToUnicode \d+ 0 R/.exec(found)?.[0])[0] ?? 0)?.stream ?? '',
      )
    } else if (drawn !== undefined) {
      const form = objects.get(named(drawn) ?? 0)
      if (form?.words.includes('/Form')) text += textOf(form, own, objects)
    } else if (hex !== undefined)
      for (const [code] of hex.matchAll(wide ? /.{4}/g : /.{2}/g))
        text += letters.get(parseInt(code, 16)) ?? ''
    else if (operator === 'ET') text += '\n'
  }
  return text
}

function resourcesOf(words: string, objects: ReadonlyMap<number, PdfObject>): string {
  const [number] = numbersIn(/\/Resources \d+ 0 R/.exec(words)?.[0])
  return number === undefined ? words : (objects.get(number)?.words ?? '')
}

/** The text of each page of a PDF that Chromium made, in the order in which it is drawn. */
export function pagesOfPdf(bytes: Buffer): readonly string[] {
  const objects = objectsOf(bytes)
  return [...objects.values()]
    .filter(({ words }) => /\/Type\s*\/Page\b(?!s)/.test(words))
    .map(({ words }) =>
      numbersIn(/\/Contents (?:\d+ 0 R|\[[^\]]*\])/.exec(words)?.[0])
        .map((number) => {
          const content = objects.get(number)
          return content ? textOf(content, resourcesOf(words, objects), objects) : ''
        })
        .join('\n'),
    )
}
