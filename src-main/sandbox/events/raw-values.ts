import type { RawType } from '#shared/api/raw-columns.ts'
import { clients, userAgentOf } from './clients.ts'
import type { Client } from './clients.ts'
import { sandboxInstances, UNDEFINED, places, ruleSets, paths } from './catalogue.ts'
import type { EventColumns } from './columns.ts'
import { fieldNamed, DROP, results } from './columns.ts'
import { hash32 } from './random.ts'

/** An event with its current result. */
type JudgedEvent = { readonly event: number; readonly result: number; readonly rules: number }

type Reading = (columns: EventColumns, judged: JudgedEvent) => string

/** Undefined values are empty in raw rows. */
const bare = (text: string) => (text === UNDEFINED ? '' : text)

const hex = (event: number, salt: number) => hash32(event, salt).toString(16).padStart(8, '0')

function address(event: number, salt: number): string {
  const bits = hash32(event, salt)
  if (bits % 7 === 0) return `2001:db8::${hex(event, salt).replace(/(.{4})/, '$1:')}`
  return `${['192.0.2', '198.51.100', '203.0.113'][bits % 3]}.${(bits >>> 8) % 256}`
}

const agent = (columns: EventColumns, event: number, salt: number) =>
  userAgentOf(clients[columns.client[event] as number] as Client, hash32(event, salt))

function page(columns: EventColumns, { event }: JudgedEvent): string {
  const instance = sandboxInstances[columns.instance[event] as number]
  const path = paths[1 + (hash32(event, 11) % (paths.length - 1))] as string
  return encodeURI(`https://www.site-${instance?.id}.example${path}`)
}

function referrer(columns: EventColumns, { event }: JudgedEvent): string {
  const host = fieldNamed('host').texts[columns.host[event] as number] as string
  const path = paths[columns.path[event] as number] as string
  return host === UNDEFINED ? '' : `https://${host}${path}`
}

/** Returns the rule sets of some bits. */
const broken = (rules: number) => ruleSets.filter((_, bit) => rules & (1 << bit))

const byField =
  (name: string): Reading =>
  (columns, { event }) => {
    const { column, texts } = fieldNamed(name)
    return bare(texts[columns[column][event] as number] as string)
  }

const identifier =
  (salt: number, emptyIn: number): Reading =>
  (_, { event }) =>
    hash32(event, salt) % emptyIn === 0 ? '' : hex(event, salt) + hex(event, salt + 1)

const namedAsFields =
  'source campaign network connection country region city browser_version os_version'.split(' ')

const readings: Readonly<Record<string, Reading>> = {
  ...Object.fromEntries(namedAsFields.map((name) => [name, byField(name)])),
  browser_name: byField('browser'),
  os_name: byField('os'),
  device_type: byField('type'),
  device_manufacturer: byField('manufacturer'),
  device_model: byField('model'),
  exid: identifier(21, 4),
  response_id: (_, { event }) => hex(event, 23) + hex(event, 24),
  app_id: (_, { event }) => (hash32(event, 25) % 3 === 0 ? '' : `com.example.app${hash32(event, 26) % 40}`),
  device_id: identifier(27, 5),
  remote_address: (_, { event }) => address(event, 31),
  requesting_remote_address: (_, { event }) => address(event, 32),
  user_agent: (columns, { event }) => agent(columns, event, 33),
  requesting_user_agent: (columns, { event }) => agent(columns, event, 34),
  location: page,
  page,
  referrer,
  language: (columns, { event }) => {
    const languages = places[columns.place[event] as number]?.languages ?? []
    return languages[hash32(event, 35) % languages.length] ?? ''
  },
  rule_sets: (_, { rules }) =>
    broken(rules)
      .map(({ code }) => code)
      .join(','),
  invalid_traffic_type: (_, { rules }) => broken(rules)[0]?.type ?? '',
}

/** Values of additional columns, which CSV, spreadsheets and pages must preserve. */
const additions = [
  '',
  'plain',
  'two words',
  'comma, "quote"',
  'line\nbreak',
  '=1+1',
  '12.50',
  'é 中 😀',
  "'",
  'a;b\tc',
]

/** Returns the value of a raw column; '' if empty. Throws RangeError if no type has the column. */
export function rawValue(
  type: RawType,
  column: string | number,
  columns: EventColumns,
  judged: JudgedEvent,
): string {
  const { event, result } = judged
  if (column === 'result') {
    if (type !== 'request') return results[result] as string
    return result === DROP ? 'drops' : 'with-responses'
  }
  if (/^\d+$/.test(String(column)))
    return additions[hash32(event, 100 + Number(column)) % additions.length] as string
  const reading = readings[column]
  if (reading === undefined) throw new RangeError(`No raw column ${column}`)
  return reading(columns, judged)
}
