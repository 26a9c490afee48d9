import type { Failure } from '../api/failure.ts'
import { failureMeanings } from '../api/failure-meanings.ts'
import type { Family } from '../api/dimensions.ts'
import type { RateBases, SearchedAll } from '../reports/rows.ts'
import type { AccountId, Instant } from '../values/ids.ts'

/** Encoding of request bodies, which the specification leaves open (field notes: request bodies). */
export const bodyEncodings = ['json', 'form'] as const
export type BodyEncoding = (typeof bodyEncodings)[number]

/**
 * Location of an account's token: the keychain, memory until the app ends, or none. `elsewhere`: the token was entered
 * for another service than the account's address, and is not sent there.
 */
export type TokenPlace = 'keychain' | 'session' | 'absent' | 'elsewhere'

/**
 * Longest range in days that the service accepts for an account, by kind of endpoint; null if unknown (field notes:
 * windows). Set by the user or learnt from a rejected request.
 */
export type RangeWindows = {
  readonly tables: number | null
  readonly overview: number | null
  readonly lookups: number | null
}

export type WindowName = keyof RangeWindows

export const noWindows: RangeWindows = { tables: null, overview: null, lookups: null }

/** Common members of accounts. The token is never part of them. */
type Profile = {
  readonly id: AccountId
  readonly name: string
  /**
   * Base address of the service without `/v1`, such as `https://reports.example`. Empty for the sample account, whose
   * address changes at each start.
   */
  readonly address: string
  readonly bodyEncoding: BodyEncoding
  /** IANA zone in which the account's days begin; UTC unless set. */
  readonly dayZone: string
  readonly windows: RangeWindows
  /** Number of a table's first column in the service's sorts; null until an answer shows it (specification: sort). */
  readonly firstColumn: 0 | 1 | null
  /** Bases of the service's rates by family, once an answer has shown them. */
  readonly rateBases?: { readonly [F in Family]?: RateBases | undefined }
  /** When the bases were last checked by family, in milliseconds since 1970. */
  readonly ratesCheckedAt?: { readonly [F in Family]?: number | undefined }
  /** Time in which the local clock ran ahead of the service's, and by how much; in milliseconds. */
  readonly clockAhead?: { readonly from: number; readonly until: number; readonly by: number }
  /** What the row for all covers in a search, by family, once an answer has shown it. */
  readonly searchedAll?: { readonly [F in Family]?: SearchedAll | undefined }
  /** Location of the token; absent until it was looked up. */
  readonly tokenPlace?: TokenPlace
}

/** An account that can send requests: `service` to the user's service, `sample` to the sandbox inside the app. */
export type LiveAccount = Profile & { readonly kind: 'service' | 'sample' }

/**
 * Read-only figures that an account stored under an earlier data scope or address. They are never refreshed. `account`
 * is the original account.
 */
export type EarlierAccount = Profile & { readonly kind: 'earlier'; readonly account: AccountId }

/** An account with figures to show, on both sides of the bridge. */
export type Account = LiveAccount | EarlierAccount

/** Whether an account can send requests. Other accounts are read-only. */
export const isLive = (account: Account): account is LiveAccount => account.kind !== 'earlier'

/** Id of the account itself: of earlier figures, the account that stored them. */
export const liveIdOf = (account: Account): AccountId => (isLive(account) ? account.id : account.account)

/** State of the connection after the last request. */
export type Connection =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'online' }
  | { readonly kind: 'offline' }
  /** The service requested a pause; the next request is sent at this time. */
  | { readonly kind: 'resting'; readonly until: Instant }
  /** The service refuses the token. */
  | { readonly kind: 'refused' }
  /** There is no token. */
  | { readonly kind: 'no-token' }
  /** The proxy requires credentials. */
  | { readonly kind: 'proxy-sign-in' }

/** Whether a request may reach the service. */
export const isReachable = ({ kind }: Connection): boolean => kind === 'online' || kind === 'unknown'

/**
 * Returns the state of the connection after a request.
 * @param failure null if the request succeeded, undefined if none was sent
 * @returns undefined if the failure leaves the state open; a rest too, because only the caller knows its end
 */
export function connectionAfter(failure: Failure | null | undefined): Connection | undefined {
  if (failure === null) return { kind: 'online' }
  const connection = failure && failureMeanings[failure.kind].connection
  return connection && connection !== 'online' && connection !== 'doubtful' ? { kind: connection } : undefined
}

/** Whether figures beside others need no note about a failure, because the others or the frame have one. */
export const isAwayAfter = (failure: Failure | null | undefined): boolean =>
  failure ? failureMeanings[failure.kind].away || failure.kind === 'no-keychain' : false

/**
 * A proxy that requires authentication, without its credentials.
 * - `asks`: blocked until the user signs in; `refusedSaved` if the proxy refused the stored credentials.
 * - `other-kind`: the proxy requires an unsupported scheme; `kinds` names it, such as `NTLM, Negotiate`.
 * - `signed-in`: the credentials are in the keychain, or in memory until the app ends.
 */
export type ProxyState = {
  /** Scheme, host and port, such as `http://proxy.example:3128`. */
  readonly origin: ProxyOrigin
} & (
  | { readonly kind: 'asks'; readonly refusedSaved: boolean }
  | { readonly kind: 'other-kind'; readonly kinds: string }
  | { readonly kind: 'signed-in'; readonly stored: 'keychain' | 'session' }
)

/** Origin of a proxy: `http://` or `https://`, host, and always a port. Credentials are bound to one origin. */
export type ProxyOrigin = string & { readonly __brand: 'ProxyOrigin' }

/** Returns the origin of a proxy's address; null if the address is invalid. */
export function proxyOrigin(address: string): ProxyOrigin | null {
  if (!URL.canParse(address)) return null
  const { protocol, hostname, port } = new URL(address)
  if (hostname === '' || (protocol !== 'http:' && protocol !== 'https:')) return null
  return `${protocol}//${hostname}:${port || (protocol === 'https:' ? '443' : '80')}` as ProxyOrigin
}

/** Returns a proxy's host and port, as in the system's settings. */
export const proxyAuthority = (origin: ProxyOrigin): string => origin.replace(/^https?:\/\//, '')

/** Whether credentials are sent to the proxy encrypted. */
export const isEncryptedProxy = (origin: ProxyOrigin): boolean => origin.startsWith('https:')
