import type { ArgumentsFor, EndpointPath } from '#shared/api/endpoints.ts'
import type { Day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { Behaviour } from './behaviour.ts'

/** What a token may do. `instances` null means every instance. */
export type TokenRights = {
  readonly admin: boolean
  readonly instances: readonly InstanceId[] | null
  readonly state: 'valid' | 'expired' | 'revoked'
}

/** A request whose token was accepted and whose parameters were checked against the interface as data. */
export type SandboxRequest = {
  readonly path: EndpointPath
  /** Values by name, checked and read by type (days, flags, sort keys ...); absent where not given. See `argumentsOf`. */
  readonly parameters: Readonly<Record<string, unknown>>
  /**
   * What `query` is to hold, without `results` and `pages`: every parameter of the endpoint as supplied, false where it
   * was not, and the defaults of sort, page and limit.
   */
  readonly echo: Readonly<Record<string, unknown>>
  readonly rights: TokenRights
  readonly behaviour: Behaviour
  /** The sandbox's clock, in milliseconds since 1970, and the day it is. */
  readonly now: number
  readonly today: Day
}

/**
 * The parameters of a request in their types; only what the specification requires is certain to be there.
 * @throws TypeError where the request is for another endpoint
 */
export function argumentsOf<P extends EndpointPath>(path: P, request: SandboxRequest): ArgumentsFor<P> {
  if (request.path !== path) throw new TypeError(`A request for ${request.path} is none for ${path}`)
  return request.parameters as ArgumentsFor<P>
}

/**
 * Answers one endpoint with plain JSON data, or with a promise of it (a raw report's size is known only once its archive
 * is made): whoever calls a handler awaits it. Text that the service would URL-encode is wrapped in `encoded()`; the
 * server writes it as the behaviour says. Throws, or rejects with, `Refusal` for every other status.
 */
export type Handler = (request: SandboxRequest) => unknown

/** An answer that is not 200. */
export class Refusal extends Error {
  readonly status: number
  constructor(status: number, words: string) {
    super(words)
    this.name = 'Refusal'
    this.status = status
  }
}

/** Text to be URL-encoded on its way out; see `Handler`. */
export class EncodedText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const encoded = (text: string): EncodedText => new EncodedText(text)
