import type { DayRange } from '#shared/values/day.ts'
import { wireId } from './answer.ts'
import { argumentsOf, encoded } from './contracts.ts'
import type { Handler, SandboxRequest } from './contracts.ts'
import { ALL_CAMPAIGNS, ALL_INSTANCES, ALL_SOURCES } from './events/catalogue.ts'
import { fieldNamed } from './events/columns.ts'
import type { Events } from './events/events.ts'
import { byCodePoints, matcher, pageOf } from './lists.ts'
import { requireInstance, sees, checkWindow } from './tokens.ts'

/** The entry for all stands before the first page's entries, beyond their limit, and is neither searched nor counted. */
const withAll = <T>(all: boolean | undefined, page: number | undefined, entry: T): T[] =>
  (all ?? true) && (page ?? 1) === 1 ? [entry] : []

function instancesHandler(events: Events): Handler {
  return (request) => {
    const { name, all, page, limit } = argumentsOf('interface/instances', request)
    const isMet = matcher(name, false)
    const found = events.instances
      .filter((instance) => sees(request.rights, instance.id) && isMet(instance.name))
      .sort((one, other) => byCodePoints(one.name, other.name))
    const { items, counts } = pageOf(found, { page, limit })
    const entry = { id: encoded(ALL_INSTANCES), name: encoded(ALL_INSTANCES), status: 1 }
    const instances = items.map((item) => ({
      id: wireId(item.id, request),
      name: encoded(item.name),
      status: item.status,
    }))
    return {
      instances: [...withAll<unknown>(all, page, entry), ...instances],
      query: { ...request.echo, ...counts },
    }
  }
}

/** The values of a field that occur in a range, in code point order. */
function occurring(
  events: Events,
  request: SandboxRequest,
  field: 'source' | 'campaign',
  scope: {
    readonly range: DayRange
    readonly instance?: string | undefined
    readonly source?: string | undefined
  },
): string[] {
  const { rights } = request
  const one =
    scope.instance === undefined ? undefined : requireInstance(rights, scope.instance, events.instances)
  const open = events.instances.map(({ id }) => (one ? id === one.id : sees(rights, id)))
  const { texts } = fieldNamed(field)
  const sources = fieldNamed('source').texts
  const met = new Set<number>()
  const { first, end } = events.span(scope.range)
  for (let event = first; event < end; event++) {
    if (!open[events.columns.instance[event] as number]) continue
    if (scope.source !== undefined && sources[events.columns.source[event] as number] !== scope.source)
      continue
    met.add(events.columns[field][event] as number)
  }
  return [...met].map((index) => texts[index] as string).sort(byCodePoints)
}

function sourcesHandler(events: Events): Handler {
  return (request) => {
    const { start, end, instance, source, all, page, limit } = argumentsOf('interface/sources', request)
    checkWindow({ start, end }, request.behaviour.windows.lookups)
    const found = occurring(events, request, 'source', { range: { start, end }, instance })
    const { items, counts } = pageOf(found.filter(matcher(source, false)), { page, limit })
    return {
      sources: [...withAll(all, page, ALL_SOURCES), ...items].map(encoded),
      query: { ...request.echo, ...counts },
    }
  }
}

function campaignsHandler(events: Events): Handler {
  return (request) => {
    const parameters = argumentsOf('interface/campaigns', request)
    const { start, end, instance, source, campaign, all, page, limit } = parameters
    checkWindow({ start, end }, request.behaviour.windows.lookups)
    const found = occurring(events, request, 'campaign', { range: { start, end }, instance, source })
    const { items, counts } = pageOf(found.filter(matcher(campaign, false)), { page, limit })
    return {
      campaigns: [...withAll(all, page, ALL_CAMPAIGNS), ...items].map(encoded),
      query: { ...request.echo, ...counts },
    }
  }
}

/** The handlers of the three look-up lists (specification: interface endpoints). */
export function lookupHandlers(events: Events): ReadonlyMap<string, Handler> {
  return new Map([
    ['interface/instances', instancesHandler(events)],
    ['interface/sources', sourcesHandler(events)],
    ['interface/campaigns', campaignsHandler(events)],
  ])
}
