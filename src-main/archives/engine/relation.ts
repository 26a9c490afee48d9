import { isNumberForm } from '#shared/archives/rows-file.ts'
import type { RowsColumn, RowsFileId } from '#shared/archives/rows-file.ts'
import type { Bind } from '#main/analytics/statement.ts'
import { restOfRow } from '#main/analytics/rows-layout.ts'
import type { RowsEntry, StoredColumn } from '#main/analytics/rows-layout.ts'
import type { SheetCell } from '#main/exports/workbook.ts'
import { numberSql, sheetCell } from '../csv/values.ts'
import { quoted, timeParts, timeText } from './time.ts'
import { clickParameters } from '#shared/archives/rows.ts'
import type { CellTest, RowsCondition } from '#shared/archives/rows.ts'
import type { AddressNetwork } from '#shared/archives/network.ts'
import { loggedAddress, parseNetwork, readAddress, widthOf, writeAddress } from '#shared/archives/network.ts'

/** SQL of a column of joined rows. Empty cells are NULL. */
type Slot = {
  /** The cell as text, unchanged. */
  readonly text: string
  /** Value for comparing and grouping: of an address its canonical form. */
  readonly value: string
  /** The canonical form of an address that is written differently, else NULL; null if the column holds no addresses. */
  readonly usual: string | null
  /** The time in UTC; null if the column holds no times. */
  readonly utc: string | null
  /** The number; null if the column holds no numbers. */
  readonly number: string | null
}

type Joined = { readonly column: RowsColumn; readonly in: readonly (StoredColumn | undefined)[] }

const slotOf = (text: string, usual: string | null = null): Slot => ({
  text,
  value: usual === null ? text : `coalesce(${usual}, ${text})`,
  ...{ usual, utc: null, number: null },
})

/** Rows of several files, joined by column. Only requested columns are read. */
export class Relation {
  readonly #files: readonly RowsEntry[]
  readonly #places: readonly string[]
  readonly #joinedColumns: ReadonlyMap<string, Joined>
  readonly #usedColumns = new Map<string, number>()
  #hasRest = false
  /** Label of each file: files with the same label may have rows in common. Null if duplicates are not tested. */
  #twins: Readonly<Record<RowsFileId, string>> | null = null

  /** @param placeOf path of a rows file */
  constructor(files: readonly RowsEntry[], placeOf: (file: RowsEntry) => string, bind: Bind) {
    this.#files = files
    this.#places = files.map((file) => bind(placeOf(file)))
    this.#joinedColumns = joinedColumns(files)
  }

  get columns(): readonly RowsColumn[] {
    return [...this.#joinedColumns.values()].map(({ column }) => column)
  }

  /** Name of the column with a role; undefined if no file has one. */
  standard(standard: string): string | undefined {
    return this.columns.find((column) => column.standard === standard)?.name
  }

  /** Name of the time column; undefined if there is none. */
  get time(): string | undefined {
    return timeColumnOf(this.columns)?.name
  }

  /** SQL of a column in a statement over `from`. NULL if no file has the column. */
  slot(name: string): Slot {
    const joined = this.#joinedColumns.get(name)
    if (!joined) return slotOf('NULL::VARCHAR')
    const nth = this.#usedColumns.get(name) ?? this.#usedColumns.size
    this.#usedColumns.set(name, nth)
    const { kind } = joined.column
    if (kind === 'time') {
      const text = timeText(`k${nth}_utc`, `k${nth}_offset`, `k${nth}_text`)
      return { ...slotOf(text), utc: `k${nth}_utc` }
    }
    const isAddress = joined.in.some((column) => column?.address)
    const slot = slotOf(`k${nth}`, isAddress ? `k${nth}_usual` : null)
    return kind === 'number' ? { ...slot, number: `k${nth}_number` } : slot
  }

  /** SQL of the packed cells of a row. */
  packed(): string {
    this.#hasRest = true
    return 'rest'
  }

  /** SQL that tests whether a row is in no earlier file with the same label. */
  once(instances: Readonly<Record<RowsFileId, string>>): string {
    this.#twins = instances
    return 'once'
  }

  /** SQL of the rows: file index `f`, row number `r`, and the columns requested so far. */
  from(): string {
    const selects = this.#files.map((_, place) => {
      const cells = [...this.#usedColumns].flatMap(([name, nth]) => this.#cells(name, nth, place))
      if (this.#hasRest) cells.push(`${quoted(restOfRow)} AS rest`)
      if (this.#twins) cells.push(`${this.#labelOf(place)} AS label`, `${this.#cellsInAll(place)} AS cells`)
      return `SELECT ${[`${place}::USMALLINT AS f`, 'file_row_number AS r', ...cells].join(', ')}
        FROM read_parquet(${this.#places[place] ?? ''}, hive_partitioning = false)${renamed(this.#files[place])}`
    })
    const all = selects.join(' UNION ALL ')
    if (!this.#twins) return `(${all})`
    // The nth of several equal rows in one file matches the nth in another file.
    const counted = `SELECT *, row_number() OVER (PARTITION BY label, cells, f ORDER BY r) AS nth FROM (${all})`
    return `(SELECT *, f = min(f) OVER (PARTITION BY label, cells, nth) AS once FROM (${counted}))`
  }

  /** Index of the first file with the same label. */
  #labelOf(place: number): number {
    const labels = this.#files.map(({ id }) => this.#twins?.[id] ?? '')
    return labels.indexOf(labels[place] ?? '')
  }

  /** 128-bit hash of a row's cells in the columns that all files share; the file index if there are none. */
  #cellsInAll(place: number): string {
    const shared = [...this.#joinedColumns.values()].filter(({ in: stored }) => stored.every((item) => item))
    if (shared.length === 0) return `${place}::UHUGEINT`
    const texts = shared.map((joined) => `coalesce(chr(30) || ${textOf(joined, place)}, '')`)
    return `md5_number(concat_ws(chr(31), ${texts.join(', ')}))`
  }

  #cells(name: string, nth: number, place: number): string[] {
    const joined = this.#joinedColumns.get(name)
    const stored = joined?.in[place]
    if (joined?.column.kind === 'time') {
      const parts = stored && timeParts(stored.stored)
      return [
        `${parts?.utc ?? 'NULL::TIMESTAMP'} AS k${nth}_utc`,
        `${parts?.offset ?? 'NULL::VARCHAR'} AS k${nth}_offset`,
        `${parts?.text ?? 'NULL::VARCHAR'} AS k${nth}_text`,
      ]
    }
    const text = joined ? textOf(joined, place) : 'NULL::VARCHAR'
    const cells = [`${text} AS k${nth}`]
    if (joined?.in.some((column) => column?.address))
      cells.push(`${stored?.address ? addressPart(stored.stored) : 'NULL::VARCHAR'} AS k${nth}_usual`)
    if (joined?.column.kind !== 'number') return cells
    const form = isNumberForm(stored?.form) ? stored.form : 'decimal-point'
    return [...cells, `${stored ? numberSql(text, form) : 'NULL'} AS k${nth}_number`]
  }
}

/** SQL of a cell as text, unchanged. */
function textOf(joined: Joined, place: number): string {
  const stored = joined.in[place]
  if (!stored) return 'NULL::VARCHAR'
  if (stored.place !== undefined) return cellOfRest(quoted(stored.stored), stored.place)
  if (stored.kind !== 'time') return quoted(nameAsRead(stored.stored))
  const { utc, offset, text } = timeParts(stored.stored)
  return timeText(utc, offset, text)
}

/** The engine's own column of row numbers. Older files may have a column of that name. */
const rowNumber = 'file_row_number'
const nameAsRead = (stored: string): string => (stored === rowNumber ? `x_${rowNumber}` : stored)

/** Aliases for the columns of a file, if one has the name of the engine's own; else empty. */
function renamed(file: RowsEntry | undefined): string {
  const names = file?.columns.filter(({ place = 1 }) => place === 1).flatMap(namesInFile) ?? []
  return names.includes(rowNumber)
    ? ` AS file(${names.map((name) => quoted(nameAsRead(name))).join(', ')})`
    : ''
}

const namesInFile = ({ kind, stored, address }: StoredColumn): readonly string[] => {
  if (kind === 'time') return [`${stored}_utc`, `${stored}_offset`, `${stored}_text`]
  return address ? [stored, `${stored}_usual`] : [stored]
}

/** SQL of one packed cell (csv/columns.ts). */
const cellOfRest = (rest: string, place: number) =>
  `nullif(replace(replace(string_split(${rest}, chr(31))[${place}], chr(30) || '1', chr(31)), chr(30) || '0', chr(30)), '')`

/** Joins columns of several files by name. A column with different kinds is text. */
function joinedColumns(files: readonly RowsEntry[]): ReadonlyMap<string, Joined> {
  const names = new Map<string, RowsColumn>()
  for (const { columns } of files)
    for (const { name, kind, standard } of columns) {
      const known = names.get(name)
      if (!known) names.set(name, { name, kind, standard })
      else if (known.kind !== kind) names.set(name, { ...known, kind: 'text' })
    }
  const byName = files.map(({ columns }) => new Map(columns.map((column) => [column.name, column])))
  return new Map(
    [...names].map(([name, column]) => [name, { column, in: byName.map((columns) => columns.get(name)) }]),
  )
}

/** The time column: the service's timestamp, else the first column of times. */
export function timeColumnOf<C extends { readonly kind: string; readonly standard: string | null }>(
  columns: readonly C[],
): C | undefined {
  const times = columns.filter(({ kind }) => kind === 'time')
  return times.find(({ standard }) => standard === 'timestamp') ?? times[0]
}

/** Returns the columns that a query over these files can name. */
export const columnsOf = (files: readonly RowsEntry[]): readonly RowsColumn[] =>
  [...joinedColumns(files).values()].map(({ column }) => column)

/** Returns a function that converts cells for a workbook, given the file index and cells in the order of `names`. */
export function sheetCells(
  files: readonly RowsEntry[],
  names: readonly string[],
): (file: number, cells: readonly (string | null)[]) => SheetCell[] {
  const joined = new Map(columnsOf(files).map(({ name, kind }) => [name, kind]))
  const columns = files.map((file) => {
    const own = new Map(file.columns.map((column) => [column.name, column]))
    return names.map((name) => ({ ...own.get(name), kind: joined.get(name) ?? 'text' }))
  })
  return (file, cells) =>
    cells.map((cell, nth) => {
      const column = columns[file]?.[nth]
      return column ? sheetCell(cell, column) : cell
    })
}

/** SQL of the condition that rows must meet. */
export function whereOf(conditions: readonly RowsCondition[], relation: Relation, bind: Bind): string {
  const met = conditions.map(({ column, out, test }) => {
    const passes =
      test.kind === 'once' ? relation.once(test.instances ?? {}) : testSql(test, relation.slot(column), bind)
    // A missing cell makes the test NULL; the row does not pass it.
    return out ? `NOT coalesce(${passes}, false)` : `(${passes})`
  })
  return met.length > 0 ? met.join(' AND ') : 'true'
}

function testSql(test: Exclude<CellTest, { kind: 'once' }>, slot: Slot, bind: Bind): string {
  const { text, value, utc, number } = slot
  const usual = (cell: string) => (slot.usual === null ? cell : usualForm(cell))
  switch (test.kind) {
    case 'is':
      return isOneOf(value, [usual(test.value)], bind)
    case 'click-id':
      return isOneOf(clickIdSql(text), test.values, bind)
    case 'one-of':
      return isOneOf(value, test.values.map(usual), bind)
    case 'contains':
      return test.value === '' ? 'true' : `contains(${folded(text)}, ${folded(bind(test.value))})`
    case 'begins-with':
      return test.value === '' ? 'true' : `starts_with(${folded(text)}, ${folded(bind(test.value))})`
    case 'more-than':
    case 'less-than': {
      const sign = test.kind === 'more-than' ? '>' : '<'
      return number === null ? 'false' : `${number} ${sign} CAST(${bind(test.value)} AS DECIMAL(38, 9))`
    }
    case 'empty':
      return `${text} IS NULL`
    case 'in-network':
      return isInNetworks(slot, test.networks)
    case 'between': {
      if (utc === null) return 'false'
      const ends = [
        ...(test.from === null ? [] : [`${utc} >= ${moment(test.from, bind)}`]),
        ...(test.to === null ? [] : [`${utc} < ${moment(test.to, bind)}`]),
      ]
      return [`${utc} IS NOT NULL`, ...ends].join(' AND ')
    }
  }
}

/** SQL of the first click ID in a link; NULL if there is none. */
export function clickIdSql(link: string): string {
  const escapes = [
    ['%3f', '?'],
    ['%3F', '?'],
    ['%26', '&'],
    ['%3d', '='],
    ['%3D', '='],
    ['%23', '#'],
  ] as const
  const plain = escapes.reduce((sql, [from, to]) => `replace(${sql}, '${from}', '${to}')`, link)
  const found = `regexp_extract(${plain}, '[?&#](?:${clickParameters})=([^?&# ]+)', 1, 'i')`
  return `nullif(${found}, '')`
}

/** Letters that lower case leaves apart, though capitals write them alike: Σ of σ and ς, SS of ß, I of i and ı. */
const oneCapital = [
  ['ς', 'σ'],
  ['ß', 'ss'],
  ['ı', 'i'],
] as const

/** SQL of a text for searching: without case and accents, however its letters are composed. */
export function folded(text: string): string {
  const plain = /^[\w."$]+$/.test(text)
  const cell = plain ? text : 't'
  const letters = oneCapital.reduce(
    (sql, [from, to]) => `replace(${sql}, '${from}', '${to}')`,
    `strip_accents(lower(${cell}))`,
  )
  // Most cells are ASCII, where the replacements would take ten times as long as the rest.
  const sql = `CASE WHEN strlen(${cell}) = length(${cell}) THEN lower(${cell}) ELSE ${letters} END`
  return plain ? sql : once(text, 't', sql)
}

/** Canonical form of an address; other text is unchanged. */
function usualForm(cell: string): string {
  const address = readAddress(cell)
  return address ? writeAddress(address) : cell
}

function isOneOf(text: string, values: readonly string[], bind: Bind): string {
  // A text may have composed or decomposed letters.
  const filled = [
    ...new Set(values.flatMap((value) => [value, value.normalize('NFC'), value.normalize('NFD')])),
  ].filter((value) => value !== '')
  const hasEmpty = values.includes('')
  const parts = [
    ...(filled.length > 0 ? [`${text} IN (${filled.map(bind).join(', ')})`] : []),
    ...(hasEmpty ? [`${text} IS NULL`] : []),
  ]
  return parts.length > 1 ? `(${parts.join(' OR ')})` : (parts[0] ?? 'false')
}

/** A time in ms since 1970, as a timestamp of the engine. */
const moment = (milliseconds: number, bind: Bind): string =>
  `make_timestamp(${bind(BigInt(milliseconds) * 1000n)}::BIGINT)`

/** A number from 0 to 255. Its alternatives begin differently, which the engine matches faster. */
const byte = '(0|1([0-9][0-9]?)?|2([0-4][0-9]?|5[0-5]?|[6-9])?|[3-9][0-9]?)'
const groups = '[0-9a-fA-F]{1,4}(:[0-9a-fA-F]{1,4})*'

/** Evaluates a repeated expression once: a macro is expanded wherever its argument occurs. */
const once = (value: string, name: string, what: string) =>
  `list_transform([${value}], lambda ${name}: ${what})[1]`

const logged = loggedAddress.replaceAll("'", "''")

const short = (place: number) =>
  `CASE WHEN ltrim(substr(h, ${place}, 4), '0') = '' THEN '0' ELSE ltrim(substr(h, ${place}, 4), '0') END`

/**
 * Functions of the engine for addresses, equal to src-shared/archives/network.ts. Each returns NULL for other text. `four_hex` and
 * `six_hex` write an address as hexadecimal digits, so that a range of addresses is a range of texts.
 */
export const addressMacros: readonly string[] = [
  `CREATE MACRO is_four(a) AS regexp_full_match(a, '${byte}(\\.${byte}){3}')`,
  `CREATE MACRO four_hex(a) AS CASE WHEN is_four(a) THEN printf('%02x%02x%02x%02x', TRY_CAST(split_part(a, '.', 1) AS INTEGER),
    TRY_CAST(split_part(a, '.', 2) AS INTEGER), TRY_CAST(split_part(a, '.', 3) AS INTEGER),
    TRY_CAST(split_part(a, '.', 4) AS INTEGER)) END`,
  // The last two groups may be an IPv4 address.
  `CREATE MACRO without_four(a) AS CASE WHEN NOT contains(a, '.') THEN a ELSE ${once(
    `regexp_extract(a, ':([0-9.]+)$', 1)`,
    'tail',
    `${once('four_hex(tail)', 'h', `CASE WHEN h IS NULL THEN a ELSE left(a, length(a) - length(tail)) || left(h, 4) || ':' || right(h, 4) END`)}`,
  )} END`,
  `CREATE MACRO is_side(s) AS s = '' OR regexp_full_match(s, '${groups}')`,
  `CREATE MACRO groups_of(s) AS list_filter(string_split(s, ':'), lambda g: g <> '')`,
  `CREATE MACRO joined_groups(l) AS array_to_string(list_transform(l, lambda g: lpad(lower(g), 4, '0')), '')`,
  // Two halves with at least one group of zeros between them.
  `CREATE MACRO halves_hex(s) AS CASE WHEN len(s) = 2 AND is_side(s[1]) AND is_side(s[2])
      AND len(groups_of(s[1])) + len(groups_of(s[2])) < 8
    THEN joined_groups(list_concat(list_resize(groups_of(s[1]), 8 - len(groups_of(s[2])), '0'), groups_of(s[2]))) END`,
  `CREATE MACRO plain_six_hex(p) AS CASE
    WHEN contains(p, '::') THEN ${once(`string_split(p, '::')`, 's', 'halves_hex(s)')}
    WHEN regexp_full_match(p, '${groups}') AND len(string_split(p, ':')) = 8 THEN joined_groups(string_split(p, ':')) END`,
  `CREATE MACRO six_hex(a) AS CASE WHEN contains(a, ':') THEN ${once('without_four(a)', 'p', 'plain_six_hex(p)')} END`,
  `CREATE MACRO four_of_hex(h) AS concat_ws('.', ${[1, 3, 5, 7].map((place) => `('0x' || substr(h, ${place}, 2))::INTEGER`).join(', ')})`,
  // The longest run of zeros is omitted; of several, the first (RFC 5952).
  `CREATE MACRO six_text(t) AS CASE ${[8, 7, 6, 5, 4, 3, 2]
    .map((zeros) => {
      const run = `(^|:)0(:0){${zeros - 1}}(:|$)`
      return `WHEN regexp_matches(t, '${run}') THEN regexp_replace(t, '${run}', '::')`
    })
    .join(' ')} ELSE t END`,
  `CREATE MACRO six_groups(h) AS ${[1, 5, 9, 13, 17, 21, 25, 29].map(short).join(` || ':' || `)}`,
  `CREATE MACRO usual_six(h) AS CASE WHEN starts_with(h, '00000000000000000000ffff') THEN four_of_hex(right(h, 8))
    WHEN h IS NOT NULL THEN ${once('six_groups(h)', 't', 'six_text(t)')} END`,
  `CREATE MACRO usual_form(a) AS CASE WHEN is_four(a) THEN a
    WHEN regexp_full_match(a, '([0-9]{3}\\.){3}[0-9]{3}') THEN ${once(
      `regexp_replace(a, '(^|\\.)0{1,2}([0-9])', '\\1\\2', 'g')`,
      'p',
      'CASE WHEN is_four(p) THEN p END',
    )}
    ELSE ${once('six_hex(a)', 'h', 'usual_six(h)')} END`,
  `CREATE MACRO usual_address(a) AS ${once(`regexp_extract(a, '${logged}', 1)`, 'f', 'usual_form(f)')}`,
  `CREATE MACRO six_network(h) AS
    regexp_replace(${[1, 5, 9, 13].map(short).join(` || ':' || `)}, '(^|:)0(:0)*$', '') || '::/64'`,
  `CREATE MACRO network_of(a) AS CASE WHEN is_four(a) THEN regexp_extract(a, '^(.*)\\.', 1) || '.0/24'
    WHEN contains(a, ':') THEN ${once('six_hex(a)', 'h', 'six_network(h)')} END`,
]

/** Roles of columns that hold addresses. */
export const addressRoles: ReadonlySet<string> = new Set(['remote_address', 'requesting_remote_address'])

/** Column for the canonical form of an address that is written differently; NULL for all other cells. */
export const addressPart = (stored: string): string => quoted(`${stored}_usual`)
export const addressSql = (cell: string): string =>
  `CASE WHEN NOT is_four(${cell}) THEN nullif(usual_address(${cell}), ${cell}) END`

/** SQL that tests whether a cell lists several addresses. Only cells with a canonical form can: AND would parse all others too. */
export const severalSql = (stored: string): string =>
  `CASE WHEN ${addressPart(stored)} IS NOT NULL
    THEN usual_address(regexp_extract(${quoted(stored)}, '${logged}', 2)) END IS NOT NULL`

/** Maximum length of a pattern. The engine takes longer to compile a longer one than to compare digits. */
const maxPattern = 50_000

/**
 * SQL that tests whether a cell is an address in one of several ranges; '' matches cells without an address.
 * @throws RangeError if a text is not a range
 */
export function isInNetworks({ text, usual, value }: Slot, networks: readonly string[]): string {
  const ranges = networks.filter((network) => network !== '').map(rangeOf)
  const fours = ranges.filter(({ family }) => family === 4)
  const sixes = ranges.filter(({ family }) => family === 6)
  const pattern = foursPattern(fours)
  const isFour = (cell: string) => `regexp_full_match(${cell}, '${pattern}')`
  const parts = ranges.length < networks.length ? [`network_of(${value}) IS NULL`] : []
  if (pattern.length > maxPattern) parts.push(hasDigits(`four_hex(${value})`, fours))
  // With one column at a time, the engine matches a repeated cell once.
  else if (fours.length > 0 && usual !== null)
    parts.push(`CASE WHEN ${usual} IS NULL THEN ${isFour(text)} ELSE ${isFour(usual)} END`)
  else if (fours.length > 0) parts.push(isFour(text))
  if (sixes.length > 0) parts.push(`(contains(${value}, ':') AND (${hasDigits(`six_hex(${value})`, sixes)}))`)
  return parts.join(' OR ')
}

function rangeOf(text: string): AddressNetwork {
  const network = parseNetwork(text)
  if (!network) throw new RangeError('No range of addresses')
  return network
}

/** Pattern of the IPv4 addresses in ranges. Ranges with as many free bytes share their end; sorted, they share their beginnings. */
function foursPattern(networks: readonly AddressNetwork[]): string {
  const beginnings = new Map<number, string[]>()
  for (const { bits, prefix } of networks) {
    const bytes = Math.ceil(prefix / 8)
    const written = [24n, 16n, 8n, 0n].slice(0, bytes).map((place) => Number((bits >> place) & 0xffn))
    const last = numbersPattern(written.pop() ?? 0, 2 ** (bytes * 8 - prefix))
    beginnings.set(bytes, [...(beginnings.get(bytes) ?? []), [...written, last].join('[.]')])
  }
  const patterns = [...beginnings].map(([bytes, known]) => {
    const free = Array.from({ length: 4 - bytes }, () => byte)
    return (bytes === 0 ? free : [`(${known.toSorted().join('|')})`, ...free]).join('[.]')
  })
  return patterns.join('|')
}

/** Pattern of `count` successive numbers by tens, as in `(1[6789]|2[0123])`. */
function numbersPattern(first: number, count: number): string {
  const byTens = new Map<string, string>()
  for (let number = first; number < first + count; number += 1) {
    const [tens, last] = [String(number).slice(0, -1), String(number).slice(-1)]
    byTens.set(tens, (byTens.get(tens) ?? '') + last)
  }
  if (count === 1) return String(first)
  return `(${[...byTens].map(([tens, lasts]) => `${tens}[${lasts}]`).join('|')})`
}

/** SQL that tests the digits of an address. Ranges are looked up by the length of their digits. */
function hasDigits(hex: string, networks: readonly AddressNetwork[]): string {
  const beginnings = new Map<number, string[]>()
  for (const { family, bits, prefix } of networks) {
    const digits = Math.max(1, Math.ceil(prefix / 4))
    const first = bits >> BigInt(widthOf(family) - digits * 4)
    const known = beginnings.get(digits) ?? []
    for (let nth = 0; nth < 2 ** (digits * 4 - prefix); nth += 1)
      known.push(`'${(first + BigInt(nth)).toString(16).padStart(digits, '0')}'`)
    beginnings.set(digits, known)
  }
  return [...beginnings]
    .map(([digits, known]) => `left(${hex}, ${digits}) IN (${known.join(', ')})`)
    .join(' OR ')
}
