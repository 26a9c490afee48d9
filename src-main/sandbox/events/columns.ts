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
 * Columns for `count` events, all zero. Every column but the first and the last three holds indexes into a dictionary of the
 * catalogue.
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
  /** The referrer; meaningless for drops and for Direct. */
  host: new Uint16Array(count),
  path: new Uint8Array(count),
  /** Index into `results`. */
  result: new Uint8Array(count),
  /** 1 where an ad blocker was met, 0 where none was, ADBLOCK_UNKNOWN where nobody looked. */
  adblock: new Uint8Array(count),
  /** A bit for each broken rule set. */
  rules: new Uint8Array(count),
})

/** All events, a column each, in order of time. */
export type EventColumns = Readonly<ReturnType<typeof emptyColumns>>

/** A column of indexes into a dictionary. */
export type IndexedColumn = Exclude<keyof EventColumns, 'time' | 'result' | 'adblock' | 'rules'>

/** How one event was judged; an event holds the index. Script has drops (never answered) and three grades, Direct two. */
export const results = ['drop', 'good', 'warning', 'bad', 'non-suspect', 'suspect'] as const

export type EventResult = (typeof results)[number]

export const [DROP, GOOD, WARNING, BAD, NON_SUSPECT, SUSPECT] = [0, 1, 2, 3, 4, 5] as const

export const familyOf = (result: number): Family => (result >= NON_SUSPECT ? 'direct' : 'script')

/** Whether traffic judged so broke rule sets. */
export const isBroken = (result: number): boolean =>
  result === WARNING || result === BAD || result === SUSPECT

/** What each result becomes when a day is restated. Drops stay: nothing came that could be judged anew. */
const becomes = [DROP, BAD, GOOD, WARNING, SUSPECT, NON_SUSPECT]

/** The result after its day was restated: one event in eight is judged anew. */
export function restatedResult(result: number, event: number): number {
  return hash32(event, 8) % 8 === 0 ? (becomes[result] as number) : result
}

/** What can be filtered by and grouped by: the text that each index of a column stands for. */
type Field = { readonly column: IndexedColumn; readonly texts: readonly string[] }

/** Fields of one name each, whose column holds indexes into the same dictionary. */
const fieldsOf = <N extends string>(
  column: IndexedColumn,
  dictionary: readonly Readonly<Record<N, string>>[],
  ...names: readonly N[]
): [N, Field][] => names.map((name) => [name, { column, texts: dictionary.map((entry) => entry[name]) }])

/**
 * Every field by the name of the filter parameter that limits to it, `instance`, `source` and `campaign` included. A new
 * dimension of the interface needs an entry here for each of its filters. `instance` holds ids.
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

/** A field by name; throws a RangeError where the sandbox has no such field. */
export function fieldNamed(name: string): Field {
  const found = fields.get(name)
  if (found === undefined) throw new RangeError(`The sandbox has no field ${name}`)
  return found
}

/** The place of an instance in the instance column; -1 where there is none of this id. */
export const instancePlace = (id: InstanceId): number =>
  sandboxInstances.findIndex((sandboxInstance) => sandboxInstance.id === id)
