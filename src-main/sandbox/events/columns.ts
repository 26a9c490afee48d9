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

/**
 * All events, a column each, in order of time. Every column but the first and the last three holds indexes into a
 * dictionary of the catalogue.
 */
export type EventColumns = {
  /** Seconds since 1970. */
  readonly time: Uint32Array
  readonly instance: Uint8Array
  readonly source: Uint8Array
  readonly campaign: Uint8Array
  readonly client: Uint16Array
  readonly place: Uint8Array
  readonly network: Uint8Array
  readonly connection: Uint8Array
  /** The referrer; meaningless for drops and for Direct. */
  readonly host: Uint16Array
  readonly path: Uint8Array
  /** Index into `results`. */
  readonly result: Uint8Array
  /** 1 where an ad blocker was met, 0 where none was, ADBLOCK_UNKNOWN where nobody looked. */
  readonly adblock: Uint8Array
  /** A bit for each broken rule set. */
  readonly rules: Uint8Array
}

/** A column of indexes into a dictionary. */
export type IndexedColumn = Exclude<keyof EventColumns, 'time' | 'result' | 'adblock' | 'rules'>

export const ADBLOCK_UNKNOWN = 2

/** Columns for `count` events, all zero. */
export function emptyColumns(count: number): EventColumns {
  return {
    time: new Uint32Array(count),
    instance: new Uint8Array(count),
    source: new Uint8Array(count),
    campaign: new Uint8Array(count),
    client: new Uint16Array(count),
    place: new Uint8Array(count),
    network: new Uint8Array(count),
    connection: new Uint8Array(count),
    host: new Uint16Array(count),
    path: new Uint8Array(count),
    result: new Uint8Array(count),
    adblock: new Uint8Array(count),
    rules: new Uint8Array(count),
  }
}

/** How one event was judged; an event holds the index. Script has drops (never answered) and three grades, Direct two. */
export const results = ['drop', 'good', 'warning', 'bad', 'non-suspect', 'suspect'] as const

export type EventResult = (typeof results)[number]

export const DROP = 0
export const GOOD = 1
export const WARNING = 2
export const BAD = 3
export const NON_SUSPECT = 4
export const SUSPECT = 5

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

const field = (column: IndexedColumn, texts: readonly string[]): Field => ({ column, texts })

/**
 * Every field by the name of the filter parameter that limits to it, `instance`, `source` and `campaign` included. A new
 * dimension of the interface needs an entry here for each of its filters. `instance` holds ids.
 */
const fields: Readonly<Record<string, Field>> = {
  instance: field(
    'instance',
    sandboxInstances.map((sandboxInstance) => sandboxInstance.id),
  ),
  source: field('source', sources),
  campaign: field('campaign', campaigns),
  browser: field(
    'client',
    clients.map((client) => client.browser),
  ),
  browser_version: field(
    'client',
    clients.map((client) => client.browserVersion),
  ),
  os: field(
    'client',
    clients.map((client) => client.os),
  ),
  os_version: field(
    'client',
    clients.map((client) => client.osVersion),
  ),
  manufacturer: field(
    'client',
    clients.map((client) => client.manufacturer),
  ),
  model: field(
    'client',
    clients.map((client) => client.model),
  ),
  type: field(
    'client',
    clients.map((client) => client.type),
  ),
  country: field(
    'place',
    places.map((place) => place.country),
  ),
  region: field(
    'place',
    places.map((place) => place.region),
  ),
  city: field(
    'place',
    places.map((place) => place.city),
  ),
  network: field('network', networks),
  connection: field('connection', connections),
  host: field('host', hosts),
  path: field('path', paths),
}

/** A field by name; throws a RangeError where the sandbox has no such field. */
export function fieldNamed(name: string): Field {
  const found = fields[name]
  if (found === undefined) throw new RangeError(`The sandbox has no field ${name}`)
  return found
}

/** The place of an instance in the instance column; -1 where there is none of this id. */
export const instancePlace = (id: InstanceId): number =>
  sandboxInstances.findIndex((sandboxInstance) => sandboxInstance.id === id)
