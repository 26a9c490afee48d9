import { endpointEntry } from '#shared/api/endpoints.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import type { Parameter } from '#shared/api/parameters.ts'
import { dayToWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { Refusal, encoded } from '../contracts/handler.ts'
import type { SandboxRequest } from '../contracts/handler.ts'
import { readValue } from './read-values.ts'

/** What `query` says of one parameter: as supplied; false, or the default of sort, page and limit, where it was not. */
function echoOf(given: unknown, read: unknown, { type, default: assumed }: Parameter): unknown {
  if (read === undefined) return typeof assumed === 'boolean' ? false : (assumed ?? false)
  if (type === 'day') return dayToWire(read as Day)
  if (type === 'text') return typeof given === 'number' ? given : encoded(String(given))
  return type === 'sort' ? given : read
}

/**
 * Checks a body against the interface and reads it by type. An empty text is not given: forms cannot leave a field out.
 * Members that the endpoint does not take are ignored.
 * @throws Refusal 400 with words that name the parameter
 */
export function readParameters(
  path: EndpointPath,
  body: Readonly<Record<string, unknown>>,
): Pick<SandboxRequest, 'parameters' | 'echo'> {
  const parameters: Record<string, unknown> = {}
  const echo: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(endpointEntry(path).parameters)) {
    const given = Object.hasOwn(body, name) && body[name] !== '' ? body[name] : undefined
    if (given === undefined && parameter.required) throw new Refusal(400, `${name} is missing`)
    const read = given === undefined ? undefined : readValue(given, name, parameter)
    if (read !== undefined) parameters[name] = read
    echo[name] = echoOf(given, read, parameter)
  }
  const { start, end } = parameters
  if (typeof start === 'string' && typeof end === 'string' && start > end) {
    throw new Refusal(400, 'start is after end')
  }
  return { parameters, echo }
}
