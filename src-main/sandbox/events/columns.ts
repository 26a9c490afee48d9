import type { Family } from '#shared/api/dimensions.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import {
  hosts,
  paths,
  sandboxInstances,
  connections,
  networks,
  places,
  campaigns,
  sources,
} from './catalogue.ts'
import { clients } from './clients.ts'
import { hash32 } from './random.ts'

export const ADBLOCK_UNKNOWN = 2

/**
 * Creates zeroed columns for `count` events. All but the first and the last three contain indexes into the catalogue.
 */
export const emptyColumns = (count: number) => ({
  /** Seconds since 1970. */
  time: new Uint32Array(count),
  instance: new Uint8Array(count),
  source: new Uint8Array(count),
  campaign: new Uint8Array(count),
  client: new Uint16Array(count),
  place: new Uint8Array(count),
  network: new Uint8Array(count),
  connection: new Uint8Array(count),
  /** Referrer; meaningless for drops and for Direct. */
  host: new Uint16Array(count),
  path: new Uint8Array(count),
  /** Index into `results`. */
  result: new Uint8Array(count),
  /** 1 with an ad blocker, 0 without, or ADBLOCK_UNKNOWN. */
  adblock: new Uint8Array(count),
  /** One bit for each broken rule set. */
  rules: new Uint8Array(count),
})

/** All events as columns, sorted by time. */
export type EventColumns = Readonly<ReturnType<typeof emptyColumns>>

/** A column of indexes into the catalogue. */
export type IndexedColumn = Exclude<keyof EventColumns, 'time' | 'result' | 'adblock' | 'rules'>

/** Results of events; events store the index. Script has drops (no response) and three grades, Direct has two. */
export const results = ['drop', 'good', 'warning', 'bad', 'non-suspect', 'suspect'] as const

export type EventResult = (typeof results)[number]

export const [DROP, GOOD, WARNING, BAD, NON_SUSPECT, SUSPECT] = [0, 1, 2, 3, 4, 5] as const

export const familyOf = (result: number): Family => (result >= NON_SUSPECT ? 'direct' : 'script')

/** Whether a result breaks rule sets. */
export const isBroken = (result: number): boolean =>
  result === WARNING || result === BAD || result === SUSPECT

/** Result after a restatement. Drops stay, because there is no response to judge. */
const becomes = [DROP, BAD, GOOD, WARNING, SUSPECT, NON_SUSPECT]

/** Returns the result after a restatement, which changes one event in eight. */
export function restatedResult(result: number, event: number): number {
  return hash32(event, 8) % 8 === 0 ? (becomes[result] as number) : result
}

/** A field for filters and grouping: its column, and the text of each index. */
type Field = { readonly column: IndexedColumn; readonly texts: readonly string[] }

/** Returns fields that share a column and its catalogue. */
const fieldsOf = <N extends string>(
  column: IndexedColumn,
  dictionary: readonly Readonly<Record<N, string>>[],
  ...names: readonly N[]
): [N, Field][] => names.map((name) => [name, { column, texts: dictionary.map((entry) => entry[name]) }])

/**
 * All fields by filter parameter, including `instance` (ids), `source` and `campaign`. A new dimension needs an entry
 * for each of its filters.
 */
const fields: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['instance', { column: 'instance', texts: sandboxInstances.map(({ id }) => id) }],
  ['source', { column: 'source', texts: sources }],
  ['campaign', { column: 'campaign', texts: campaigns }],
  ...fieldsOf('client', clients, 'browser', 'browser_version', 'os', 'os_version'),
  ...fieldsOf('client', clients, 'manufacturer', 'model', 'type'),
  ...fieldsOf('place', places, 'country', 'region', 'city'),
  ['network', { column: 'network', texts: networks }],
  ['connection', { column: 'connection', texts: connections }],
  ['host', { column: 'host', texts: hosts }],
  ['path', { column: 'path', texts: paths }],
])

/** Returns a field. Throws RangeError if there is none. */
export function fieldNamed(name: string): Field {
  const found = fields.get(name)
  if (found === undefined) throw new RangeError(`The sandbox has no field ${name}`)
  return found
}

/** Returns an instance's index; -1 if there is none. */
export const instancePlace = (id: InstanceId): number =>
  sandboxInstances.findIndex((sandboxInstance) => sandboxInstance.id === id)
