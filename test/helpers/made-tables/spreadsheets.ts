import { count, day, fixed, grouped, made, moment, oneOf } from './made-table.ts'
import type { MadeColumn, Make } from './made-table.ts'

const sheet = (name: string, make: Make) => made('spreadsheets', name, { ending: '\r\n', ...make })
const program = (name: string, make: Make) => made('programs', name, make)
const dump = (name: string, make: Make) => made('databases', name, { quote: 'never', ...make })

const sums = (separator: string) => (row: Parameters<MadeColumn[1]>[0]) =>
  `${grouped(row.int(1_000, 99_999), separator)},${row.digits(2)}`

/** Tables that went through a spreadsheet. */
export const sheetTables = () => [
  sheet('Excel in Germany', {
    columns: [
      ['Datum', day('%D.%M.%Y'), 'time'],
      ['Kampagne', oneOf('Häfen', 'Größe XL', 'Straße; Süd')],
      ['Klicks', count(9_000, '.'), 'number'],
      ['Kosten', (row) => `${sums('.')(row)} €`, 'number'],
    ],
    ...{ delimiter: ';', encoding: 'windows-1252' },
  }),
  sheet('Excel in France', {
    columns: [
      ['Date', day('%D/%M/%Y'), 'time'],
      ['Campagne', oneOf('Été', 'Noël « soldes »', 'Rentrée')],
      ['Clics', count(9_000, '\u00a0'), 'number'],
      ['Coût', sums('\u00a0'), 'number'],
    ],
    ...{ delimiter: ';', encoding: 'windows-1252' },
  }),
  sheet('Excel in Spain, few letters', {
    columns: [
      ['Fecha', day('%D/%M/%Y'), 'time'],
      ['Campaña', oneOf('Otono', 'Invierno')],
      ['Coste', (row) => `${row.int(0, 90)},${row.digits(2)}`, 'number'],
    ],
    ...{ delimiter: ';', encoding: 'windows-1252' },
  }),
  sheet('Excel in Poland', {
    columns: [
      ['Data', day('%D.%M.%Y'), 'time'],
      ['Kampania', oneOf('Łódź – wyprzedaż', 'Święta', 'Książki i pióra')],
      ['Kliknięcia', count(9_000, '\u00a0'), 'number'],
      ['Koszt', sums('\u00a0'), 'number'],
    ],
    ...{ delimiter: ';', encoding: 'windows-1250' },
  }),
  sheet('Excel in Czechia', {
    columns: [
      ['Datum', day('%d.%n.%Y'), 'time'],
      ['Kampaň', oneOf('Přístav', 'Žluťoučký kůň', 'Léto')],
      ['Prokliky', count(900), 'number'],
      ['Útrata', (row) => `${row.int(0, 90)},${row.digits(2)} Kč`],
    ],
    ...{ delimiter: ';', encoding: 'windows-1250' },
  }),
  sheet('Excel in Hungary', {
    columns: [
      ['Dátum', day('%Y.%M.%D'), 'time'],
      ['Kampány', oneOf('Őszi akció', 'Kikötő', 'Tűzijáték')],
      ['Kattintás', count(900), 'number'],
    ],
    ...{ delimiter: ';', encoding: 'windows-1250' },
  }),
  sheet('Excel in Japan', {
    columns: [
      ['日付', day('%Y/%M/%D'), 'time'],
      ['キャンペーン', oneOf('港の広告', 'ペンとインク', '秋のセール')],
      ['クリック数', count(9_000, ','), 'number'],
      ['費用', (row) => `${row.int(0, 9_000)}`, 'number'],
    ],
    encoding: 'shift_jis',
  }),
  sheet('Excel in Russia', {
    columns: [
      ['Дата', day('%D.%M.%Y'), 'time'],
      ['Кампания', oneOf('Поиск', 'Сети', 'Ретаргетинг')],
      ['Расход', sums('\u00a0'), 'number'],
    ],
    ...{ delimiter: ';', encoding: 'windows-1251' },
  }),
  sheet('Excel in Britain', {
    columns: [
      ['Date', day('%D/%M/%Y'), 'time'],
      ['Campaign', (row) => row.campaign()],
      ['Cost', (row) => `"£${row.fixed(90, 2)}"`.replaceAll('"', ''), 'number'],
    ],
    encoding: 'windows-1252',
  }),
  sheet('Excel in America', {
    columns: [
      ['Click Time', moment('%n/%d/%Y %I:%m'), 'time'],
      ['Click ID', (row) => row.hex(12)],
      ['Cost', (row) => ` $${row.fixed(90, 2)} `, 'number'],
      ['Notes', oneOf('', 'line one\nline two', '5" screen')],
    ],
  }),
  sheet('Excel, Unicode text', {
    columns: [
      ['Datum', day('%D.%M.%Y'), 'time'],
      ['Kampagne', oneOf('Häfen, Süd', 'Łódź', '港')],
      ['Kosten', sums('.'), 'number'],
    ],
    ...{ delimiter: '\t', encoding: 'utf-16le' },
  }),
  sheet('Excel, with a line that names its separator', {
    columns: [
      ['Campaign', (row) => row.campaign()],
      ['Cost', fixed(90), 'number'],
      ['Note', oneOf('a|b', 'c')],
    ],
    ...{ delimiter: ';', before: ['sep=;'] },
  }),
  sheet('Excel, empty columns and lines behind', {
    columns: [
      ['Campaign', (row) => row.campaign()],
      ['Clicks', count(900), 'number'],
      ['', () => ''],
      ['', () => ''],
    ],
    after: [',,,', ',,,'],
  }),
  sheet('Google Sheets', {
    columns: [
      ['Date', day('%n/%d/%Y'), 'time'],
      ['Campaign', (row) => row.campaign()],
      ['CTR', (row) => `${row.fixed(9, 2)}%`, 'number'],
      ['Done', oneOf('TRUE', 'FALSE')],
      ['Error', oneOf('', '#N/A', '#DIV/0!')],
    ],
    unended: true,
  }),
  sheet('LibreOffice, all in quotes', {
    columns: [
      ['Tag', day('%Y-%M-%D'), 'time'],
      ['Name', oneOf('Größe', 'a;b', 'c"d')],
      ['Wert', (row) => `${row.int(0, 99)},${row.digits(1)}`, 'number'],
    ],
    ...{ delimiter: ';', quote: 'all', ending: '\n' },
  }),
  sheet('Numbers on a Mac, titled', {
    columns: [
      ['Day', day('%Y-%M-%D'), 'time'],
      ['Campaign', (row) => row.campaign()],
      ['Cost', fixed(90), 'number'],
    ],
    ...{ before: ['Table 1', '', ''], ending: '\n' },
  }),
]

const frame: readonly MadeColumn[] = [
  ['ts', moment('%Y-%M-%D %h:%m:%s'), 'time'],
  ['campaign', (row) => row.campaign()],
  ['clicks', count(900), 'number'],
  ['rate', (row) => (row.chance(0.2) ? '' : `0.${row.digits(16)}`), 'number'],
]
const index: MadeColumn = ['', (row) => String(row.n), 'number']
const counted: MadeColumn = ['', (row) => String(row.n + 1), 'number']
const lettered: MadeColumn = ['', (row) => `r${row.n + 1}`]

/** Tables that programs for statistics write. */
export const programTables = () => [
  program('pandas, with its index', { columns: [index, ...frame] }),
  program('pandas, tabs', { columns: [index, ...frame], delimiter: '\t' }),
  program('pandas, decimal commas', {
    columns: [
      ['id', (row) => row.digits(6)],
      ['land', oneOf('München', 'Köln')],
      ['wert', (row) => `${row.int(0, 9)},${row.digits(6)}`, 'number'],
    ],
    delimiter: ';',
  }),
  program('R, write.csv', {
    columns: [
      ['', (row) => String(row.n + 1), 'number'],
      ['campaign', (row) => row.campaign()],
      ['clicks', count(900), 'number'],
      ['cost', (row) => (row.chance(0.1) ? 'NA' : row.fixed(9, 4))],
    ],
    quote: 'texts',
    line: (cells) => cells.map((cell, nth) => (nth < 2 ? `"${cell}"` : cell)).join(','),
  }),
  program('R, write.csv2', {
    columns: [
      ['', (row) => String(row.n + 1), 'number'],
      ['campaign', (row) => row.campaign()],
      ['cost', (row) => `${row.int(0, 9)},${row.digits(3)}`, 'number'],
    ],
    ...{ quote: 'texts', delimiter: ';' },
  }),
  program('R, write.table', {
    columns: [
      lettered,
      ['time', (row) => String(Math.floor(row.at.getTime() / 1_000)), 'time'],
      ['campaign', (row) => row.campaign()],
      ['clicks', count(900), 'number'],
      ['cost', fixed(9, 3), 'number'],
    ],
    ...{ delimiter: ' ', quote: 'texts', head: '"time" "campaign" "clicks" "cost"' },
  }),
  program('R, write.table by tabs', {
    columns: [
      counted,
      ['ip', (row) => row.ip()],
      ['clicks', count(900), 'number'],
      ['cost', fixed(9, 3), 'number'],
    ],
    ...{ delimiter: '\t', quote: 'never', head: 'ip\tclicks\tcost' },
  }),
  program('R, write.table with commas', {
    columns: [counted, ['day', day('%Y-%M-%D'), 'time'], ['clicks', count(900), 'number']],
    ...{ quote: 'texts', head: '"day","clicks"' },
  }),
  program('polars', { columns: frame }),
]

const rows: readonly MadeColumn[] = [
  ['id', (row) => String(row.n + 100), 'number'],
  ['created_at', moment('%Y-%M-%D %h:%m:%s.%f+00'), 'time'],
  ['ip', (row) => row.ip()],
  ['note', (row) => (row.chance(0.4) ? '\\N' : row.pick('a b', 'x\\ty', 'done'))],
  ['score', (row) => (row.chance(0.2) ? '\\N' : row.fixed(1, 3)), 'number'],
]

/** Dumps of databases. */
export const databaseTables = () => [
  dump('psql, copy to CSV', {
    columns: [...rows.slice(0, 3), ['note', oneOf('', 'a, b', 'say "x"')], ['ok', oneOf('t', 'f')]],
    quote: 'needed',
  }),
  dump('psql, copy to text', { columns: rows, delimiter: '\t', head: null }),
  dump('psql, unaligned', {
    columns: [...rows.slice(0, 3), ['note', oneOf('', 'done', 'a, b')]],
    delimiter: '|',
    after: ['(30 rows)'],
  }),
  dump('mysql, batch', {
    columns: [
      ...rows.slice(0, 3),
      ['score', (row) => (row.chance(0.3) ? 'NULL' : row.fixed(1, 3)), 'number'],
    ],
    delimiter: '\t',
  }),
  dump('mysql, into outfile', {
    columns: [
      ['id', (row) => String(row.n + 1), 'number'],
      ['at', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['ua', (row) => row.ua()],
      ['note', (row) => (row.chance(0.5) ? '\\N' : 'a "b", c')],
    ],
    head: null,
    line: (cells) =>
      cells.map((cell) => (/^(\\N|\d+)$/.test(cell) ? cell : `"${cell.replaceAll('"', '\\"')}"`)).join(','),
  }),
  dump('sqlite, list mode', {
    columns: [...rows.slice(0, 3), ['note', oneOf('', 'done')]],
    delimiter: '|',
    head: null,
  }),
  dump('sqlcmd, with a ruler', {
    columns: [
      ['id', (row) => row.digits(4), 'number'],
      ['at', moment('%Y-%M-%D %h:%m:%s.%f'), 'time'],
      ['ip', (row) => row.ip()],
    ],
    head: 'id,at,ip\n--,--,--',
    after: ['', '(30 rows affected)'],
  }),
  dump('BigQuery', {
    columns: [
      ['event_timestamp', (row) => String(row.at.getTime() * 1_000)],
      ['event_name', oneOf('page_view', 'click')],
      ['at', moment('%Y-%M-%D %h:%m:%s.%f UTC'), 'time'],
      ['value', (row) => (row.chance(0.3) ? '' : row.fixed(9, 2)), 'number'],
    ],
    quote: 'needed',
  }),
  dump('Snowflake', {
    columns: [
      ['ID', (row) => row.digits(9)],
      ['CLICKED_AT', moment('%Y-%M-%D %h:%m:%s.%f Z'), 'time'],
      ['NOTE', (row) => (row.chance(0.4) ? '\\N' : row.pick('a,b', 'c'))],
    ],
    quote: 'needed',
  }),
  dump('Redshift, unloaded', {
    columns: [...rows.slice(0, 3), ['', oneOf('', 'note here')]],
    delimiter: '|',
    head: null,
  }),
  dump('Athena', {
    columns: [
      ['day', day('%Y-%M-%D'), 'time'],
      ['ip', (row) => row.ip()],
      ['hits', count(900), 'number'],
      ['agent', (row) => row.ua()],
    ],
    quote: 'all',
  }),
  dump('ClickHouse, tabs with names', {
    columns: [
      ['EventTime', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['URL', (row) => `https://harbour.example/?q=${row.n}`],
      ['Hits', count(900), 'number'],
      ['Title', oneOf('', 'Перо', "it's")],
    ],
    delimiter: '\t',
  }),
  dump('Oracle, spooled with bars', {
    columns: [
      ['ID', (row) => row.digits(6)],
      ['CLICKED', day('%D-%b-%Y'), 'time'],
      ['AMOUNT', fixed(99), 'number'],
    ],
    delimiter: '|',
  }),
  dump('Hive, letters of control', {
    columns: [
      ['', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['', (row) => row.ip()],
      ['', (row) => row.ua()],
      ['', (row) => (row.chance(0.3) ? '\\N' : row.digits(3))],
    ],
    delimiter: '\x01',
    head: null,
  }),
]
