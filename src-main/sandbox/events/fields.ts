import type { InstanceId } from '#shared/values/ids.ts'
import { clients } from './catalogue/clients.ts'
import { hosts, paths } from './catalogue/hosts.ts'
import { sandboxInstances } from './catalogue/instances.ts'
import { connections, networks } from './catalogue/networks.ts'
import { places } from './catalogue/places.ts'
import { campaigns, sources } from './catalogue/sources.ts'
import type { IndexedColumn } from './columns.ts'

/** What can be filtered by and grouped by: the text that each index of a column stands for. */
export type Field = { readonly column: IndexedColumn; readonly texts: readonly string[] }

const field = (column: IndexedColumn, texts: readonly string[]): Field => ({ column, texts })

/**
 * Every field by the name of the filter parameter that limits to it, `instance`, `source` and `campaign` included. A new
 * dimension of the interface needs an entry here for each of its filters. `instance` holds ids.
 */
export const fields: Readonly<Record<string, Field>> = {
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
