import { randomBytes } from 'node:crypto'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { daysBetween } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { Refusal } from './contracts.ts'
import type { TokenRights } from './contracts.ts'
import type { SandboxState } from './control/state.ts'
import { randomStream } from './events/random.ts'

/** Access tokens of a sandbox: an admin's, one limited to two instances, and an expired one. */
export type SandboxTokens = { readonly admin: string; readonly limited: string; readonly expired: string }

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Creates tokens from a seed, so that an account stays connected when its sandbox restarts. */
export function createTokens(seed: number): SandboxTokens {
  const token = (name: keyof SandboxTokens) => {
    const random = randomStream(seed, `token of ${name}`)
    return Array.from({ length: 40 }, () => LETTERS[random() % LETTERS.length]).join('')
  }
  return { admin: token('admin'), limited: token('limited'), expired: token('expired') }
}

/** Creates unpredictable tokens. */
export function tokensOfThisStart(): SandboxTokens {
  const token = () => randomBytes(20).toString('hex')
  return { admin: token(), limited: token(), expired: token() }
}

/**
 * Returns the rights of a token.
 * @throws Refusal 400 if the token is missing or malformed, 401 if it is unknown, revoked or expired
 */
export function rightsOf(
  token: unknown,
  tokens: SandboxTokens,
  state: SandboxState['tokens'],
  path: EndpointPath,
): TokenRights {
  if (token === undefined || token === '') throw new Refusal(400, 'The parameter token is missing')
  if (typeof token !== 'string' || !/^[A-Za-z0-9]{32,64}$/.test(token)) {
    throw new Refusal(400, 'The token is malformed')
  }
  const rights = knownRights(token, tokens, state, path)
  if (rights === undefined) throw new Refusal(401, 'The token is not known')
  if (rights.state !== 'valid') throw new Refusal(401, `The token is ${rights.state}`)
  return rights
}

function knownRights(
  token: string,
  tokens: SandboxTokens,
  { isRevoked, limitedTo }: SandboxState['tokens'],
  path: EndpointPath,
): TokenRights | undefined {
  const state = (name: 'admin' | 'limited') => (isRevoked(name) ? 'revoked' : 'valid')
  switch (token) {
    case tokens.admin:
      return { admin: true, instances: null, state: state('admin') }
    case tokens.limited:
      return { admin: false, instances: limitedTo(path), state: state('limited') }
    case tokens.expired:
      return { admin: false, instances: null, state: 'expired' }
    default:
      return undefined
  }
}

/** Whether a token sees an instance. */
export function sees(rights: TokenRights, id: InstanceId): boolean {
  return rights.instances === null || rights.instances.includes(id)
}

/**
 * Returns the instance of a request.
 * @param id any text from the request
 * @throws Refusal 403 if the token does not see the instance, whether or not it exists; 404 if there is none
 */
export function requireInstance<I extends { readonly id: InstanceId }>(
  rights: TokenRights,
  id: string,
  instances: readonly I[],
): I {
  if (!sees(rights, id as InstanceId)) throw new Refusal(403, `The token has no right to the instance ${id}`)
  const found = instances.find((instance) => instance.id === id)
  if (found === undefined) throw new Refusal(404, `There is no instance ${id}`)
  return found
}

/** Maximum range in days (ten years) without a limit, to bound memory use. */
const LONGEST_RANGE = 3660

/**
 * Refuses a range that is longer than the account's limit (field notes: windows).
 * @param days maximum length in days; null for no limit
 * @throws Refusal 400
 */
export function checkWindow(range: DayRange, days: number | null): void {
  const length = daysBetween(range.start, range.end) + 1
  const longest = days ?? LONGEST_RANGE
  if (length > longest) throw new Refusal(400, `The range of ${length} days is wider than ${longest} days`)
}
