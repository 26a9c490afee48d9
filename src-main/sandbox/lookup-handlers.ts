import type { ArgumentsFor } from '#shared/api/endpoints.ts'
import { wireId } from './encoding.ts'
import { argumentsOf, encodedText } from './contracts.ts'
import type { SandboxHandler, SandboxRequest } from './contracts.ts'
import { ALL_CAMPAIGNS, ALL_INSTANCES, ALL_SOURCES, nameOfInstance } from './events/catalogue.ts'
import type { SandboxInstance } from './events/catalogue.ts'
import { fieldNamed } from './events/columns.ts'
import type { Events } from './events/events.ts'
import { byCodePoints } from '#shared/values/text.ts'
import { matcher, pageOf } from './paging.ts'
import { requireInstance, sees, checkWindow } from './rights.ts'

/** The aggregate entry precedes the first page, in addition to `limit`. It is neither searched nor counted. */
const withAll = <T>(all: boolean | undefined, page: number | undefined, entry: T): T[] =>
  (all ?? true) && (page ?? 1) === 1 ? [entry] : []

function instancesHandler(events: Events): SandboxHandler {
  return (request) => {
    const { name, all, page, limit } = argumentsOf('interface/instances', request)
    const isMet = matcher(name, false)
    const nameOf = (instance: SandboxInstance) => nameOfInstance(instance, request.behaviour.oneName)
    const isKnown = (id: string) => !request.behaviour.forgotten.includes(id)
    const found = events.instances
      .filter(({ id }) => sees(request.rights, id) && isKnown(id))
      .filter((instance) => isMet(nameOf(instance)))
      .sort((one, other) => byCodePoints(nameOf(one), nameOf(other)))
    const { items, counts } = pageOf(found, { page, limit })
    const entry = { id: encodedText(ALL_INSTANCES), name: encodedText(ALL_INSTANCES), status: 1 }
    const instances = items.map((item) => ({
      id: wireId(item.id, request),
      name: encodedText(nameOf(item)),
      status: item.status,
    }))
    return {
      instances: [...withAll<unknown>(all, page, entry), ...instances],
      query: { ...request.echo, ...counts },
    }
  }
}

/** Returns the values of a field in a request's range, instance and source, in code point order. */
function occurring(
  events: Events,
  { rights }: SandboxRequest,
  field: 'source' | 'campaign',
  { start, end, instance, source }: Pick<Given, 'start' | 'end' | 'instance' | 'source'>,
): string[] {
  const one = instance === undefined ? undefined : requireInstance(rights, instance, events.instances)
  const open = events.instances.map(({ id }) => (one ? id === one.id : sees(rights, id)))
  const { texts } = fieldNamed(field)
  const sources = fieldNamed('source').texts
  const met = new Set<number>()
  const { first, end: last } = events.span({ start, end })
  for (let event = first; event < last; event++) {
    if (!open[events.columns.instance[event] as number]) continue
    if (source !== undefined && sources[events.columns.source[event] as number] !== source) continue
    met.add(events.columns[field][event] as number)
  }
  return [...met].map((index) => texts[index] as string).sort(byCodePoints)
}

/** Parameters of sources and campaigns. The former searches by `source`, the latter filters by it. */
type Given = ArgumentsFor<'interface/campaigns'>

function namesHandler(events: Events, field: 'source' | 'campaign', entry: string): SandboxHandler {
  return (request) => {
    const { all, page, limit, ...given } = request.parameters as Given
    checkWindow(given, request.behaviour.windows.lookups)
    const scope = field === 'source' ? { ...given, source: undefined } : given
    const { forgotten } = request.behaviour
    const found = occurring(events, request, field, scope)
      .filter(matcher(given[field], false))
      .filter((name) => !forgotten.includes(name))
    const { items, counts } = pageOf(found, { page, limit })
    return {
      [`${field}s`]: [...withAll(all, page, entry), ...items].map(encodedText),
      query: { ...request.echo, ...counts },
    }
  }
}

/** Returns the handlers of the look-ups (specification: interface endpoints). */
export function lookupHandlers(events: Events): ReadonlyMap<string, SandboxHandler> {
  return new Map([
    ['interface/instances', instancesHandler(events)],
    ['interface/sources', namesHandler(events, 'source', ALL_SOURCES)],
    ['interface/campaigns', namesHandler(events, 'campaign', ALL_CAMPAIGNS)],
  ])
}
