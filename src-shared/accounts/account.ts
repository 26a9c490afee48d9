import type { Failure, FailureKind } from '../api/failure.ts'
import type { Family } from '../api/dimensions.ts'
import type { RateBases, SearchedAll } from '../reports/rows.ts'
import type { AccountId, Instant } from '../values/ids.ts'

/** How request bodies are written (the specification leaves it open; field notes: request bodies). */
export const bodyEncodings = ['json', 'form'] as const
export type BodyEncoding = (typeof bodyEncodings)[number]

/**
 * Where an account's token is: in the keychain, in memory until the app ends, or nowhere; `elsewhere` is one that was typed
 * for another service than the account's address, and is not sent to it.
 */
export type TokenPlace = 'keychain' | 'session' | 'absent' | 'elsewhere'

/**
 * The longest range in days that a service answers for this account, by kind of endpoint; null where none is known
 * (field notes: windows). Set by hand or learnt from a refusal.
 */
export type Windows = {
  readonly tables: number | null
  readonly overview: number | null
  readonly lookups: number | null
}

export type WindowName = keyof Windows

export const noWindows: Windows = { tables: null, overview: null, lookups: null }

/** What is known of an account, whether or not it can be asked. The token is never part of it. */
type Profile = {
  readonly id: AccountId
  readonly name: string
  /**
   * The service's base address without `/v1`, such as `https://reports.example`. Empty for the sample account, whose
   * address is another one at each start.
   */
  readonly address: string
  readonly bodyEncoding: BodyEncoding
  /** IANA zone in which this account's days begin; UTC unless set. */
  readonly dayZone: string
  readonly windows: Windows
  /** What the service numbers a table's first column by, once an answer has shown it (specification: sort). */
  readonly firstColumn: 0 | 1 | null
  /** What the service's own rates are shares of, by family, once an answer with rates has shown it. */
  readonly rateBases?: { readonly [F in Family]?: RateBases | undefined }
  /** When its rates were last looked at for that, by family: in milliseconds since 1970. */
  readonly ratesCheckedAt?: { readonly [F in Family]?: number | undefined }
  /** In which time, by this machine's clock, that clock ran ahead of the service's, and by how much; in milliseconds. */
  readonly clockAhead?: { readonly from: number; readonly until: number; readonly by: number }
  /** What the service's row for all is about under a search, by family, once an answer has shown it. */
  readonly searchedAll?: { readonly [F in Family]?: SearchedAll | undefined }
  /** Where its token is; left out where nobody has looked yet. */
  readonly tokenPlace?: TokenPlace
}

/** An account that is asked: `service`, a reporting service of the person's; `sample`, the stand-in service inside the app. */
export type LiveAccount = Profile & { readonly kind: 'service' | 'sample' }

/**
 * Figures that an account kept while its token saw other instances, or its address was another one: they are read like an
 * account's, and never renewed. `account` is the one that they were kept for.
 */
export type EarlierAccount = Profile & { readonly kind: 'earlier'; readonly account: AccountId }

/** Whose figures can be shown, as both sides know it. */
export type Account = LiveAccount | EarlierAccount

/** Whether an account is asked; what is not can only be read. */
export const isLive = (account: Account): account is LiveAccount => account.kind !== 'earlier'

/** Whether the service can be reached, as the last attempt found it. */
export type Connection =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'online' }
  | { readonly kind: 'offline' }
  /** The service asks for rest: the next request goes out at this moment. */
  | { readonly kind: 'resting'; readonly until: Instant }
  /** The service answers, and refuses the token. */
  | { readonly kind: 'refused' }
  /** There is no token to ask with. */
  | { readonly kind: 'no-token' }
  /** The network's proxy lets nobody through who does not sign in. */
  | { readonly kind: 'proxy-sign-in' }

/** What a kind of failure tells of the service; nothing where it is not listed. A rest is told with its end, by whoever knows that. */
const connections: Readonly<Partial<Record<FailureKind, Connection>>> = {
  offline: { kind: 'offline' },
  'refused-token': { kind: 'refused' },
  'no-token': { kind: 'no-token' },
  'no-keychain': { kind: 'no-token' },
  'proxy-sign-in': { kind: 'proxy-sign-in' },
}

/**
 * What asking the service told of it.
 * @param failure why it did not answer; null where it did, undefined where it was not asked
 * @returns undefined where that tells nothing
 */
export function connectionAfter(failure: Failure | null | undefined): Connection | undefined {
  if (failure === null) return { kind: 'online' }
  return failure && connections[failure.kind]
}

/** Whether a failure says that the service cannot be asked now, which the status of the window says too. */
export const isAwayAfter = (failure: Failure | null | undefined): boolean =>
  failure?.kind === 'resting' || connectionAfter(failure ?? undefined) !== undefined

/**
 * A proxy of the network that wants to know who asks, as windows see it. What it is told is never part of it.
 *
 * - `asks`: nothing goes through it until a person signs in; `refusedSaved` where it refused what was kept for it.
 * - `other-kind`: it wants to be told in a way that is not spoken here; `kinds` names it, such as `NTLM, Negotiate`.
 * - `signed-in`: it has a name and password, in the keychain or in memory until the app ends.
 */
export type ProxyState = {
  /** Scheme, host and port, such as `http://proxy.example:3128`. */
  readonly origin: ProxyOrigin
} & (
  | { readonly kind: 'asks'; readonly refusedSaved: boolean }
  | { readonly kind: 'other-kind'; readonly kinds: string }
  | { readonly kind: 'signed-in'; readonly stored: 'keychain' | 'session' }
)

/** Where a proxy is: `http://` or `https://`, host, and port, which is always there. Names and passwords are for one of these alone. */
export type ProxyOrigin = string & { readonly __brand: 'ProxyOrigin' }

/** The origin of a proxy's address; null where it is none. */
export function proxyOrigin(address: string): ProxyOrigin | null {
  if (!URL.canParse(address)) return null
  const { protocol, hostname, port } = new URL(address)
  if (hostname === '' || (protocol !== 'http:' && protocol !== 'https:')) return null
  return `${protocol}//${hostname}:${port || (protocol === 'https:' ? '443' : '80')}` as ProxyOrigin
}

/** A proxy's host and port, as the system's settings name it. */
export const placeOfProxy = (origin: ProxyOrigin): string => origin.replace(/^https?:\/\//, '')

/** Whether what the proxy itself is told goes there encrypted. */
export const isEncryptedProxy = (origin: ProxyOrigin): boolean => origin.startsWith('https:')
