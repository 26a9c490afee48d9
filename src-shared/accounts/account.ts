import type { RateBases } from '../reports/rates.ts'
import type { Family } from '../service/families.ts'
import type { AccountId } from '../values/ids.ts'

/** How request bodies are written (the specification leaves it open; field notes: request bodies). */
export const bodyEncodings = ['json', 'form'] as const
export type BodyEncoding = (typeof bodyEncodings)[number]

/** Where an account's token is: in the keychain, in memory until the app ends, or nowhere. */
export type TokenPlace = 'keychain' | 'session' | 'absent'

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

/** An account as both sides know it. The token is never part of it. */
export type Account = {
  readonly id: AccountId
  readonly name: string
  /** `service`: a reporting service of the person's; `sample`: the stand-in service inside the app. */
  readonly kind: 'service' | 'sample'
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
  /** Where its token is; left out where nobody has looked yet. */
  readonly tokenPlace?: TokenPlace
}

/** Whether the service can be reached, as the last attempt found it. */
export type Connection =
  | { readonly state: 'unknown' }
  | { readonly state: 'online' }
  | { readonly state: 'offline' }
  /** The service answers, and refuses the token. */
  | { readonly state: 'refused' }
  /** There is no token to ask with. */
  | { readonly state: 'no-token' }
