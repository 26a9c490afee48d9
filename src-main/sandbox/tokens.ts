import { randomBytes } from 'node:crypto'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { randomStream } from './events/random.ts'
import { Refusal } from './contracts/handler.ts'
import type { TokenRights } from './contracts/handler.ts'
import type { SandboxState } from './control/state.ts'

/** The access tokens of one sandbox: of an admin, of someone limited to two instances, and one that has expired. */
export type SandboxTokens = { readonly admin: string; readonly limited: string; readonly expired: string }

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The same seed gives the same tokens, so that an account stays connected when its sandbox starts again. */
export function createTokens(seed: number): SandboxTokens {
  const token = (of: keyof SandboxTokens) => {
    const random = randomStream(seed, `token of ${of}`)
    return Array.from({ length: 40 }, () => LETTERS[random() % LETTERS.length]).join('')
  }
  return { admin: token('admin'), limited: token('limited'), expired: token('expired') }
}

/** Tokens that nobody can know beforehand. */
export function tokensOfThisStart(): SandboxTokens {
  const token = () => randomBytes(20).toString('hex')
  return { admin: token(), limited: token(), expired: token() }
}

/**
 * What the bearer of a token may do.
 * @throws Refusal 400 where the token is missing or malformed, 401 where it is unknown, revoked or expired
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
  const state = (of: 'admin' | 'limited') => (isRevoked(of) ? 'revoked' : 'valid')
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
