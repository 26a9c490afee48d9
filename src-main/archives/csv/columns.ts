import type { RawType } from '#shared/api/raw-columns.ts'
import { rawStandardColumns, rawTypes } from '#shared/api/raw-columns.ts'

/** A column's header, its role (`standard`) and its name in the rows file (`stored`). */
export type NamedColumn = { readonly name: string; readonly standard: string | null; readonly stored: string }

const standardNames: ReadonlySet<string> = new Set(Object.values(rawStandardColumns).flat())

const plainName = (header: string): string =>
  header
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '')

/** Maps a service header to `timestamp`, a standard column, or the number of an additional column. Null for others. */
function standardOf(header: string): string | null {
  const plain = header.trim().toLowerCase().replaceAll(' ', '_')
  if (plain === 'timestamp' || standardNames.has(plain)) return plain
  const [, number] = /^additional_(\d{1,9})$/.exec(plain) ?? []
  return number ?? null
}

/** Headers of other tools for standard columns, and for ids that the service does not have. */
const synonyms: Readonly<Record<string, string>> = {
  timestamp: `date time datetime date_time event_time event_date click_time click_date clicked_at created created_at
    conversion_time impression_time request_time server_time time_stamp ts date_utc time_utc datum uhrzeit zeitpunkt zeit`,
  remote_address: `ip ip_address ip_addr ipaddress ipv4 ipv6 client_ip user_ip click_ip visitor_ip device_ip remote_ip remote_addr
    c_ip ip_adresse adresse_ip direccion_ip source_ip`,
  source:
    'publisher publisher_name partner affiliate affiliate_name media_source traffic_source utm_source supplier quelle',
  campaign: 'campaign_name utm_campaign offer offer_name kampagne campagne campana',
  country: 'country_code country_name geo geo_country land pays pais',
  region: 'state geo_region province',
  city: 'geo_city town stadt ville',
  network: 'isp isp_name asn_organization as_organization organization org carrier provider',
  connection: 'connection_type',
  user_agent: 'ua useragent user_agent_string http_user_agent cs_user_agent browser_user_agent',
  browser_name: 'browser',
  os_name: 'os operating_system platform',
  device_type: 'device device_category',
  device_model: 'model',
  device_manufacturer: 'device_brand brand manufacturer',
  page: 'url page_url landing_page landing_page_url landing_url final_url request_uri cs_uri_stem uri path page_location',
  referrer:
    'referer http_referer http_referrer referring_url referral_url referrer_url cs_referer cs_referrer',
  language: 'lang locale accept_language browser_language',
  app_id: 'app bundle bundle_id app_bundle app_name package_name',
  device_id: 'idfa gaid aaid adid advertising_id android_id gps_adid',
  click_id: 'clickid gclid fbclid msclkid transaction_id tid af_click_id',
  sub_id:
    'subid sub sub_1 sub1 sub_id_1 subid_1 subid1 aff_sub aff_sub1 s1 sub_publisher subpublisher site_id siteid',
  instance: 'instance_id instance_name',
  rule_sets: 'reason reasons rejection_reason block_reason fraud_reason blocked_reason',
}
const roles = new Map(
  Object.entries(synonyms).flatMap(([role, names]) => [
    [role, role] as const,
    ...names.split(/\s+/).map((name) => [name, role] as const),
  ]),
)

/** Returns the role of a header: a service column, `click_id`, `sub_id` or `instance`. Null if unknown. */
export const roleOf = (header: string): string | null =>
  standardOf(header) ?? roles.get(plainName(header)) ?? null

/**
 * Names columns. `name` is unique in the table; `stored` is the name in the rows file.
 * Stored names consist of letters, digits and underscores: any engine can read them, and no header enters a statement. The prefix `x_`
 * avoids SQL keywords and columns of the engine and the app. Suffixes of time columns are reserved.
 */
export function nameColumns(headers: readonly string[]): NamedColumn[] {
  const names = new Set<string>()
  const stored = new Set<string>()
  return headers.map((header, place) => {
    const wanted = header.trim() === '' ? `Column ${place + 1}` : header
    const name = free(wanted, names, (number) => `${wanted} (${number})`)
    const plain = storedForm(wanted)
    const standard = name === wanted ? roleOf(header) : null
    return { name, standard, stored: free(plain, stored, (number) => `${plain}_n${number}`) }
  })
}

function free(wanted: string, taken: Set<string>, numbered: (number: number) => string): string {
  let name = wanted
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = numbered(number)
  taken.add(name.toLowerCase())
  return name
}

function storedForm(header: string): string {
  const plain = header
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 50)
  // A name that ends like a generated suffix could collide with another column.
  const own = /_(n\d+|utc|offset|text|usual)$/.test(plain) ? `${plain}_` : plain
  return `x_${own}`
}

/**
 * Returns the type of raw report that has these columns. Null if none or several types match, or if a header is not the service's own.
 * @param results known values of the result column
 */
export function typeOf(columns: readonly NamedColumn[], results: ReadonlySet<string>): RawType | null {
  if (columns.some(({ name, standard }) => standard !== null && standard !== standardOf(name))) return null
  const standard = columns.flatMap((column) => column.standard ?? [])
  if (!standard.includes('timestamp')) return null
  const named = standard.filter((value) => value !== 'timestamp' && !/^\d+$/.test(value))
  const fitting = rawTypes.filter((type) => named.every((value) => rawStandardColumns[type].includes(value)))
  const [only] = fitting
  if (fitting.length === 1 && only) return only
  const judged = results.has('suspect') || results.has('non-suspect') ? 'direct' : 'response'
  return results.size > 0 && fitting.includes(judged) ? judged : null
}

/** Separator of packed cells, and the escape character for both characters within a cell. */
const unit = '\x1f'
const mark = '\x1e'

/** Splits a packed cell. */
export const unpack = (rest: string): string[] =>
  rest.split(unit).map((cell) => cell.replaceAll(`${mark}1`, unit).replaceAll(`${mark}0`, mark))

const quotedCell = (cell: string) => `"${cell.replaceAll('"', '""')}"`

/** Encodes a record with all cells quoted. */
export const recordOf = (cells: readonly string[], delimiter: Delimiter): Buffer =>
  Buffer.from(cells.map(quotedCell).join(delimiter))

/** Packs the cells after the first `stored` into one. The engine handles a few hundred columns; thousands take too much memory. */
export function packed(cells: readonly string[], stored: number): string[] {
  const rest = cells
    .slice(stored)
    .map((cell) => cell.replaceAll(mark, `${mark}0`).replaceAll(unit, `${mark}1`))
  return [...cells.slice(0, stored), rest.join(unit)]
}

/** Maximum length of a record in bytes. A longer record counts as unreadable. */
export const longestRecord = 4 << 20

/** Cell separator: a single-byte character. */
export type Delimiter = string

/** Escape of a quote in a quoted cell: doubled (RFC 4180), a backslash, or none: a cell ends at a quote before a separator. */
export type QuoteEscape = WrittenEscape | 'none'
export type WrittenEscape = 'doubled' | 'backslash'

/**
 * Rules for splitting a record. `loose`: blanks may surround a quoted cell. `isPadded`: blanks around a cell are removed. If the blank is the
 * delimiter, brackets enclose a cell as quotes do.
 */
export type CellRules = {
  readonly delimiter: Delimiter
  readonly escape: QuoteEscape
  readonly loose: boolean
  readonly isPadded?: boolean
}

/** Record found in bytes: number of cells, end of the record, and start of the next line. */
type Found =
  | { readonly kind: 'record'; readonly cells: number; readonly last: number; readonly next: number }
  /** The bytes end before the record does. */
  | { readonly kind: 'cut' }
  /** Text follows the closing quote of a cell. */
  | { readonly kind: 'broken' }

const quote = 34
const feed = 10
const carriage = 13
const blank = 32
const backslash = 92
const bracket = 91
const closingBracket = 93

/**
 * Finds the end of the record that begins at `from`.
 * @param isLast whether the bytes end the table
 */
export function findRecord(bytes: Buffer, from: number, rules: CellRules, isLast: boolean): Found {
  const delimiter = rules.delimiter.charCodeAt(0)
  const loose = rules.loose && delimiter !== blank
  // Most bytes of a text are larger than all that end a cell.
  const largestEnd = Math.max(delimiter, carriage)
  let cells = 1
  let index = from
  let bracketsEnd = from
  const length = bytes.length
  for (;;) {
    if (loose) index = quoteBehindBlanks(bytes, index)
    if (delimiter === blank && bytes[index] === bracket) {
      // Searched once per line, not per bracket: a line may have many unclosed brackets.
      if (bracketsEnd <= index) bracketsEnd = bracketEnd(bytes, index)
      index = behindBracket(bytes, index, bracketsEnd)
    }
    if (bytes[index] === quote) {
      index = closingQuote(bytes, index + 1, rules.escape, delimiter)
      if (index < 0) return { kind: 'cut' }
      index += 1
      if (loose) while (bytes[index] === blank) index += 1
      if (index < length && !endsCell(bytes[index], delimiter)) return { kind: 'broken' }
    }
    let byte = 0
    for (; index < length; index += 1) {
      byte = bytes[index] ?? 0
      if (byte <= largestEnd && endsCell(byte, delimiter)) break
    }
    if (index >= length)
      return isLast ? { kind: 'record', cells, last: length, next: length } : { kind: 'cut' }
    if (byte === delimiter) {
      cells += 1
      index += 1
      continue
    }
    // The next byte shows whether a line feed follows the carriage return.
    if (byte === carriage && index + 1 >= length && !isLast) return { kind: 'cut' }
    const next = index + (byte === carriage && bytes[index + 1] === feed ? 2 : 1)
    return { kind: 'record', cells, last: index, next }
  }
}

const endsCell = (byte: number | undefined, delimiter: number) =>
  byte === delimiter || byte === feed || byte === carriage

/** Index of the next closing bracket of a line, or of the line's end. */
function bracketEnd(bytes: Buffer, from: number): number {
  let index = from
  while (index < bytes.length && bytes[index] !== feed && bytes[index] !== closingBracket) index += 1
  return index
}

/** End of the bracketed cell at `from`; `from` itself if the bracket at `end` does not end a cell. */
function behindBracket(bytes: Buffer, from: number, end: number): number {
  if (bytes[end] !== closingBracket) return from
  const next = bytes[end + 1] ?? feed
  return next === blank || next === feed || next === carriage ? end + 1 : from
}

function quoteBehindBlanks(bytes: Buffer, from: number): number {
  let index = from
  while (bytes[index] === blank) index += 1
  return bytes[index] === quote ? index : from
}

/** Cells are short, and calling `indexOf` for each would take longer than looking at a few bytes here. */
const nearBytes = 256

function nextQuote(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + nearBytes)
  let index = from
  while (index < near && bytes[index] !== quote) index += 1
  return index < near ? index : bytes.indexOf(quote, index)
}

/** Index of the closing quote; negative if there is none. */
function closingQuote(bytes: Buffer, from: number, escape: QuoteEscape, delimiter: number): number {
  for (let index = nextQuote(bytes, from); index >= 0; index = nextQuote(bytes, index)) {
    if (escape === 'none') {
      if (index + 1 >= bytes.length || endsCell(bytes[index + 1], delimiter)) return index
      index += 1
    } else if (escape === 'backslash' && isEscaped(bytes, from, index)) index += 1
    else if (bytes[index + 1] === quote) index += 2
    else return index
  }
  return -1
}

function isEscaped(bytes: Buffer, from: number, place: number): boolean {
  let index = place
  while (index > from && bytes[index - 1] === backslash) index -= 1
  return (place - index) % 2 === 1
}

/** Start of the next line; undefined if the bytes end before the line does. */
export function nextLine(bytes: Buffer, from: number, isLast: boolean): number | undefined {
  for (let index = from; index < bytes.length; index += 1) {
    if (bytes[index] === feed) return index + 1
    if (bytes[index] !== carriage) continue
    if (index + 1 >= bytes.length && !isLast) return undefined
    return index + (bytes[index + 1] === feed ? 2 : 1)
  }
  return isLast ? bytes.length : undefined
}

const quotedBy = (escape: WrittenEscape) =>
  ({ doubled: /"((?:[^"]|"")*)"?/y, backslash: /"((?:[^"\\]|""|\\[^])*)"?/y })[escape]

/** A quoted cell that ends at a quote before a separator. */
const upToSeparator = (delimiter: Delimiter) =>
  new RegExp(`"((?:[^"]|"(?!$|\\x${delimiter.charCodeAt(0).toString(16).padStart(2, '0')}))*)"?`, 'y')

/** Splits a record into cells without their quotes. */
export function cellsOf(record: string, { delimiter, escape, loose, isPadded }: CellRules): string[] {
  const isLog = delimiter === ' '
  const quoted = escape === 'none' ? upToSeparator(delimiter) : quotedBy(escape)
  const bracketed = /\[([^\]\n]*)\](?![^ \r\n])/y
  const cells: string[] = []
  for (let index = 0; index <= record.length;) {
    let from = index
    if (loose && !isLog) while (record[from] === ' ') from += 1
    const held = isLog && record[from] === '[' ? bracketed : quoted
    held.lastIndex = from
    const [all, within = ''] = held.exec(record) ?? []
    const end = record.indexOf(delimiter, all === undefined ? index : from + all.length)
    if (all === undefined) {
      const cell = record.slice(index, end < 0 ? undefined : end)
      cells.push(isPadded ? cell.trim() : cell)
    } else
      cells.push(
        escape !== 'backslash'
          ? within.replaceAll('""', '"')
          : within.replaceAll(/""|\\(["\\])/g, (_, letter = '"') => letter),
      )
    index = end < 0 ? record.length + 1 : end + 1
  }
  return cells
}
