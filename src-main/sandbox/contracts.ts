import type { ArgumentsFor, EndpointPath } from '#shared/api/endpoints.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'

/**
 * What the specification leaves open and this sandbox can do either way (field notes). All of it can be switched while
 * it runs; `plainBehaviour` is how it starts.
 */
export type Behaviour = {
  /** Longest range in days that each kind of endpoint answers; null for no limit. */
  readonly windows: {
    readonly tables: number | null
    readonly overview: number | null
    readonly lookups: number | null
  }
  /** How a space is written in encoded text. */
  readonly spaces: 'percent' | 'plus' | 'mixed'
  readonly instanceIds: 'number' | 'text' | 'mixed'
  readonly errorBodies: 'error-text' | 'error-object' | 'message' | 'html' | 'empty'
  /** Which endpoints answer `chart`; `unknown-shape` answers with something no client recognises. */
  readonly charts: 'all' | 'direct-overview' | 'none' | 'unknown-shape'
  readonly rates: 'numbers' | 'texts' | 'none'
  readonly rules: boolean
  /**
   * What `sort` counts columns from. The specification leaves it open; from 0 its defaults mean the most requests
   * first (tables, `1:desc`) and the newest first (raw/table, `3:desc`).
   */
  readonly sortColumnsFrom: 0 | 1
  /** What the row for all, and `total`, are about under a search: all rows, or those that were found. */
  readonly searchedAll: 'everything' | 'found'
  /** Request bodies that are understood; anything else is a 400. */
  readonly bodies: 'both' | 'json' | 'form'
  /** Whether the filters `source` and `campaign` tell upper and lower case apart: else one event counts under two names. */
  readonly filterCase: 'apart' | 'any'
  /** Whether `token` is echoed in `query`, as a careless service might. */
  readonly echoesToken: boolean
  /** Members that no specification names, added to answers. */
  readonly unknownMembers: boolean
  readonly raw: {
    /** How a refused raw/request, raw/cancel or raw/remove is answered: `success: false` with feedback, or a 400. */
    readonly refusals: 'feedback' | 'bad-request'
    /** Processing minutes a day. */
    readonly minutes: number
    /** Reports in progress at one time through the API. */
    readonly concurrency: number
    /** How long one processing minute takes, in seconds of the sandbox's clock. */
    readonly secondsPerMinute: number
    /**
     * What is wrong with raw/table: every third row of a page is left out, though `results` counts it; every third
     * report is left out, as if there were none; or every third row comes again, as it was while the report was made.
     */
    readonly list: 'whole' | 'rows-left-out' | 'reports-hidden' | 'rows-twice'
    /** Words of the specification and of services seen, or words that nobody knows. */
    readonly labels: 'known' | 'strange'
  }
  /** Whether the download server answers range requests. */
  readonly downloadRanges: boolean
  /** What an archive can be continued by: a strong tag, a weak one, a date (the same for all), or nothing. */
  readonly downloadTags: 'strong' | 'weak' | 'dates' | 'none'
  /** Archives differ from one version to the next, in their bytes and tags; from 1 on they have the same size. */
  readonly archiveVersion: number
  /** Whether archives have no bytes at all, and reports say so. */
  readonly emptyArchives: boolean
  /** Days whose figures were restated: every count of such a day is computed as if its events had been reclassified. */
  readonly restated: readonly Day[]
  /**
   * What the limited token sees in turn, by the number of its requests: each turn lasts for so many of them, and until the list of
   * instances was asked for in it, the last one for good. Empty: what it is limited to (`POST /tokens`).
   */
  readonly turns: readonly Turn[]
  /** How far the Date header is off, in milliseconds; null for no such header. */
  readonly clockSkew: number | null
}

export type Turn = { readonly requests: number; readonly instances: readonly InstanceId[] }

export const plainBehaviour: Behaviour = {
  windows: { tables: null, overview: null, lookups: null },
  spaces: 'mixed',
  instanceIds: 'mixed',
  errorBodies: 'error-text',
  charts: 'all',
  rates: 'numbers',
  rules: true,
  sortColumnsFrom: 0,
  searchedAll: 'everything',
  bodies: 'both',
  filterCase: 'apart',
  echoesToken: false,
  unknownMembers: false,
  raw: {
    refusals: 'feedback',
    minutes: 360,
    concurrency: 1,
    secondsPerMinute: 20,
    list: 'whole',
    labels: 'known',
  },
  downloadRanges: true,
  downloadTags: 'strong',
  archiveVersion: 0,
  emptyArchives: false,
  restated: [],
  turns: [],
  clockSkew: 0,
}

/** One thing that goes wrong, `times` times (null: until cleared), at a path (null: any; `download` for the file server). */
export type Fault = {
  readonly path: string | null
  readonly times: number | null
  readonly does:
    | { readonly kind: 'delay'; readonly milliseconds: number }
    | { readonly kind: 'status'; readonly status: number; readonly retryAfter: string | null }
    /** The connection is closed after this share (0 to 1) of the body. */
    | { readonly kind: 'cut'; readonly after: number }
    | { readonly kind: 'html' }
    | { readonly kind: 'malformed' }
    /** A few bytes at a time. */
    | { readonly kind: 'drip'; readonly bytes: number; readonly everyMilliseconds: number }
    | { readonly kind: 'redirect'; readonly to: string }
    | { readonly kind: 'reset' }
    /** Download only: a Content-Length that is not the file's. */
    | { readonly kind: 'wrong-length' }
    /** Complete as far as HTTP can tell, and without a single byte. */
    | { readonly kind: 'nothing' }
}

/** One event by its place in the sandbox's columns; events lie in order of time. */
export type EventIndex = number

/**
 * Row-level events, the one source of every figure of the sandbox: tables, totals and raw rows are read off these,
 * so they agree. Kept in typed columns, because there are several hundred thousand.
 */
export type RawRows = {
  /** Events of a raw type in one instance and range, in order of time. `request` rows include drops. */
  readonly rows: (type: RawType, instance: InstanceId, range: DayRange) => Iterable<EventIndex>
  /** When it happened: ISO 8601 in UTC. */
  readonly timestamp: (event: EventIndex) => string
  /**
   * The plain (not encoded) value of a standard column, or of an additional column by its number; '' where empty. The
   * `result` of a request, which can be filtered but is no column, is `with-responses` or `drops`.
   */
  readonly value: (type: RawType, column: string | number, event: EventIndex) => string
  /** The same rows as they read after these days were restated (`Behaviour.restated`), for a report made from now on. */
  readonly restated: (days: readonly Day[]) => RawRows
}

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
