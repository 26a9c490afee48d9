import Papa from 'papaparse'

const blanks = [
  ...[
    '',
    ' ',
    '\t',
    '\n',
    '\r',
    '\v',
    '\0',
    '\u0001',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u00ad',
    '\u1680',
    '\u2003',
  ],
  ...[
    '\u200b',
    '\u2028',
    '\u202e',
    '\u202f',
    '\u205f',
    '\u2060',
    '\u3000',
    '\ufeff',
    '\u2800',
    '\ue000',
    '\ufdd0',
    '\ufffe',
    '\u{10ffff}',
    '"',
    "'",
    '’',
    '`',
  ],
]
const signs = ['=', '+', '-', '@', '\u2212', '＝', '＋', '－', '﹣', '﹢', '﹦', '＠', '﹫']
const ends = [
  ',',
  ';',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '|',
  '";',
  '",',
  '"";',
  '"\t',
  ';;',
  '; ',
  ';"',
  "';",
  ',\u3000',
  '\n\n',
]

/** Cells as somebody writes them who wants a spreadsheet to run them, whatever it takes for the end of a cell. */
export const hostileCells: readonly string[] = [
  ...blanks.map((blank) => `${blank}=1+1`),
  ...signs.map((sign) => `${sign}1+1`),
  ...ends.flatMap((end) => signs.map((sign) => `abc${end}${sign}HYPERLINK("http://evil.example")`)),
  ...blanks.map((blank) => `abc;${blank}=1+1`),
  ...ends.map((end) => `${end}=1+1`),
  ...["=cmd|' /C calc'!A0", '=;=;=,=\t=', 'a;=1;b', "x'=1;'=1"],
]

/** What no spreadsheet runs, and what therefore leaves the app as it came. */
export const harmlessCells: readonly string[] = [
  ...['Chrome', '(undefined)', '1-2', 'a=b', "L'été", '<b>', '100% – +', 'x@y', '#1', 'a, b; c', 'say "x"'],
  ...['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'C:\\x'],
]

const isNumber = (cell: string) => /^[+-]?\d+(\.\d+)?$/.test(cell)
const runs = (cell: string) =>
  /^[\s\p{Z}\p{C}\u2800"]*[=+\-@\u2212＝＋－﹣﹢﹦＠﹫]/u.test(cell) &&
  !isNumber(cell) &&
  !/^[\s\p{Z}\p{C}"]*\+https?:\/\//u.test(cell)

/**
 * The cells that a spreadsheet would run of a text, by whatever it separates cells at: as another library reads them, and as a reader
 * does that knows no quotes.
 */
export function cellsThatRun(text: string): string[] {
  const plain = text.replace(/^\uFEFF/, '')
  return [',', ';', '\t'].flatMap((delimiter) => {
    const read = Papa.parse<string[]>(plain, { delimiter }).data.flat()
    const cut = plain.split(new RegExp(`[${delimiter}\r\n]`))
    return [...read, ...cut].filter(runs)
  })
}
