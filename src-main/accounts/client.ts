import type { BodyEncoding } from '../../src-shared/accounts/account.ts'
import type { AnswerFor, ArgumentsFor, EndpointPath } from '../../src-shared/service/endpoints.ts'
import type { Failure } from '../../src-shared/service/failure.ts'
import type { Instant } from '../../src-shared/values/ids.ts'
import type { AccessToken } from '../service/token.ts'

/** What this room and `reports` use of the service's client; the service room's has all of it. */
export type Client = {
  readonly call: <P extends EndpointPath>(
    path: P,
    given: ArgumentsFor<P>,
    options?: CallOptions,
  ) => Promise<Received<P>>
  readonly close: () => Promise<void>
}

export type CallOptions = {
  readonly signal?: AbortSignal
  /** Whether a person waits for it, or nobody does. */
  readonly priority?: 'person' | 'background'
}

/** An answer decoded, and its text as it came, without the token. */
export type Received<P extends EndpointPath> = {
  readonly answer: AnswerFor<P>
  readonly text: string
  readonly receivedAt: Instant
}

export type CreateClient = (options: {
  readonly address: string
  readonly bodyEncoding: BodyEncoding
  readonly token: () => Promise<AccessToken>
}) => Client

/** Reads a service address as typed. */
export type ParseAddress = (
  typed: string,
) => { readonly ok: true; readonly address: string } | { readonly ok: false; readonly failure: Failure }
