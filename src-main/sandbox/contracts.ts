import * as v from 'valibot'
import type { ArgumentsFor, EndpointPath } from '#shared/api/endpoints.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { day } from '#shared/values/schemas.ts'
import { sandboxInstances } from './events/catalogue.ts'

const wholeFrom = (min: number) => v.pipe(v.number(), v.integer(), v.minValue(min))
const window = v.nullable(wholeFrom(1))
const milliseconds = v.pipe(v.number(), v.minValue(0))

export const instanceSchema = v.picklist(sandboxInstances.map(({ id }) => id))

/** A turn of the limited token: what it sees, and for how many requests. */
const turn = v.strictObject({
  requests: wholeFrom(1),
  /** Whether it ends after them though nobody asked for the list of instances in it. */
  unseen: v.optional(v.boolean()),
  instances: v.pipe(v.array(instanceSchema), v.readonly()),
})

/** Longest range in days that each kind of endpoint answers; null for no limit. */
const windows = v.strictObject({ tables: window, overview: window, lookups: window })

const raw = v.strictObject({
  /** How a refused raw/request, raw/cancel or raw/remove is answered: `success: false` with feedback, or a 400. */
  refusals: v.picklist(['feedback', 'bad-request']),
  /** Processing minutes a day. */
  minutes: wholeFrom(0),
  /** Reports in progress at one time through the API. */
  concurrency: wholeFrom(1),
  /** How long one processing minute takes, in seconds of the sandbox's clock. */
  secondsPerMinute: v.pipe(v.number(), v.minValue(0)),
  /**
   * What is wrong with raw/table: every third row of a page is left out, though `results` counts it; every third
   * report is left out, as if there were none; or every third row comes again, as it was while the report was made.
   */
  list: v.picklist(['whole', 'rows-left-out', 'reports-hidden', 'rows-twice']),
  /** How moments are written: with an offset, or without one, behind a `T` or a space. All are UTC. */
  moments: v.picklist(['offset', 'iso-without-offset', 'space-without-offset']),
  /** What `file_size` is: the archive's size in bytes, kB or MB, that of its table, or nonsense. */
  fileSizes: v.picklist(['bytes', 'kilobytes', 'megabytes', 'unpacked', 'zero', 'negative', 'text']),
  /** Words of the specification and of services seen, or words that nobody knows. */
  labels: v.picklist(['known', 'strange']),
  /** What stands in place of a moment that has not happened. */
  notHappened: v.picklist([
    'null',
    '0000-00-00 00:00:00',
    '-0001-11-30T00:00:00+00:00',
    '0',
    '1970-01-01T00:00:00Z',
  ]),
})

const behaviour = v.strictObject({
  windows,
  /** How a space is written in encoded text. */
  spaces: v.picklist(['percent', 'plus', 'mixed']),
  instanceIds: v.picklist(['number', 'text', 'mixed']),
  /** Whether the second instance has the name of the first. */
  oneName: v.boolean(),
  errorBodies: v.picklist(['error-text', 'error-object', 'message', 'html', 'empty']),
  /** Which endpoints answer `chart`; `unknown-shape` answers with something no client recognises. */
  charts: v.picklist(['all', 'direct-overview', 'none', 'unknown-shape']),
  rates: v.picklist(['numbers', 'texts', 'none']),
  rules: v.boolean(),
  /**
   * What `sort` counts columns from. The specification leaves it open; from 0 its defaults mean the most requests
   * first (tables, `1:desc`) and the newest first (raw/table, `3:desc`).
   */
  sortColumnsFrom: v.picklist([0, 1]),
  /** Whether rows that `sort` leaves equal stand by their labels, or in another order in each answer. */
  ties: v.picklist(['by-label', 'shuffled']),
  /** Whether a sort by the label is done, passed over, or refused. */
  labelSort: v.picklist(['taken', 'ignored', 'refused']),
  /** Most rows on a page of a table, whatever `limit` says. */
  rowsPerPage: window,
  /** Whether tables and overviews count a little more of today in each answer, until all of its events are counted. */
  growing: v.boolean(),
  /** What the row for all, and `total`, are about under a search: all rows, or those that were found. */
  searchedAll: v.picklist(['everything', 'found']),
  /** Request bodies that are understood; anything else is a 400. */
  bodies: v.picklist(['both', 'json', 'form']),
  /** Whether the filters `source` and `campaign` tell upper and lower case apart: else one event counts under two names. */
  filterCase: v.picklist(['apart', 'any']),
  /** Names that questions are limited to and of which nothing is counted or listed any more: sources, campaigns, ids of instances. */
  forgotten: v.pipe(v.array(v.string()), v.readonly()),
  /** Whether `token` is echoed in `query`, as a careless service might. */
  echoesToken: v.boolean(),
  /** Members that no specification names, added to answers. */
  unknownMembers: v.boolean(),
  /**
   * What is odd about every third row of a table and entry of a list: it is null, it has no id (or name, or label), or an object
   * stands in place of one of its other members.
   */
  oddEntries: v.picklist(['none', 'null', 'without-id', 'object-inside']),
  raw,
  /** Whether the download server answers range requests. */
  downloadRanges: v.boolean(),
  /** What an archive can be continued by: a strong tag, a weak one, a date (the same for all), or nothing. */
  downloadTags: v.picklist(['strong', 'weak', 'dates', 'none']),
  /** Content coding of archives, whatever the client takes; tags and ranges are those of the encoded bytes. */
  downloadCoding: v.picklist(['identity', 'gzip', 'deflate', 'raw-deflate', 'br', 'zstd', 'gzip, gzip']),
  /** Whether archives come in chunks, without a length. */
  downloadChunks: v.boolean(),
  /** Archives differ from one version to the next, in their bytes and tags; from 1 on they have the same size. */
  archiveVersion: v.pipe(wholeFrom(0), v.maxValue(9999)),
  /** Whether archives have no bytes at all, and reports say so. */
  emptyArchives: v.boolean(),
  /** Days whose figures were restated: every count of such a day is computed as if its events had been reclassified. */
  restated: v.pipe(v.array(day), v.readonly()),
  /**
   * What the limited token sees in turn, by the number of its requests: each turn lasts for so many of them, and until the list of
   * instances was asked for in it unless it is `unseen`, the last one for good. Empty: what it is limited to (`POST /tokens`).
   */
  turns: v.pipe(v.array(turn), v.readonly()),
  /** How far the Date header is off, in milliseconds; null for no such header. */
  clockSkew: v.nullable(v.pipe(v.number(), v.integer())),
})

/**
 * What the specification leaves open and this sandbox can do either way (field notes). All of it can be switched while
 * it runs; `plainBehaviour` is how it starts.
 */
export type Behaviour = Readonly<v.InferOutput<typeof behaviour>>

export type Turn = v.InferOutput<typeof turn>

/** Part of a behaviour: what is left out stays as it is. */
export const behaviourChange = v.partial(
  v.strictObject({ ...behaviour.entries, windows: v.partial(windows), raw: v.partial(raw) }),
)

export const plainBehaviour: Behaviour = {
  windows: { tables: null, overview: null, lookups: null },
  spaces: 'mixed',
  instanceIds: 'mixed',
  oneName: false,
  errorBodies: 'error-text',
  charts: 'all',
  rates: 'numbers',
  rules: true,
  sortColumnsFrom: 0,
  ties: 'by-label',
  labelSort: 'taken',
  rowsPerPage: null,
  growing: false,
  searchedAll: 'everything',
  bodies: 'both',
  filterCase: 'apart',
  forgotten: [],
  echoesToken: false,
  unknownMembers: false,
  oddEntries: 'none',
  raw: {
    refusals: 'feedback',
    minutes: 360,
    concurrency: 1,
    secondsPerMinute: 20,
    list: 'whole',
    moments: 'offset',
    fileSizes: 'bytes',
    labels: 'known',
    notHappened: 'null',
  },
  downloadRanges: true,
  downloadTags: 'strong',
  downloadCoding: 'identity',
  downloadChunks: false,
  archiveVersion: 0,
  emptyArchives: false,
  restated: [],
  turns: [],
  clockSkew: 0,
}

const does = v.variant('kind', [
  v.strictObject({ kind: v.literal('delay'), milliseconds }),
  v.strictObject({
    kind: v.literal('status'),
    status: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
    retryAfter: v.optional(v.nullable(v.string()), null),
  }),
  /** The connection is closed after this share of the body. */
  v.strictObject({ kind: v.literal('cut'), after: v.pipe(v.number(), v.minValue(0), v.maxValue(1)) }),
  v.strictObject({ kind: v.literal('html') }),
  v.strictObject({ kind: v.literal('malformed') }),
  /** Text before the answer, as a warning of the service's own runtime. */
  v.strictObject({ kind: v.literal('text-before'), text: v.string() }),
  /** A few bytes at a time. */
  v.strictObject({ kind: v.literal('drip'), bytes: wholeFrom(1), everyMilliseconds: milliseconds }),
  v.strictObject({ kind: v.literal('redirect'), to: v.pipe(v.string(), v.url()) }),
  v.strictObject({ kind: v.literal('reset') }),
  /** Download only: a Content-Length that is not the file's. */
  v.strictObject({ kind: v.literal('wrong-length') }),
  /** Complete as far as HTTP can tell, and without a single byte. */
  v.strictObject({ kind: v.literal('nothing') }),
  /** A 200 whose list has only its first entries, with counts as if there were no more; 0 empties it. */
  v.strictObject({ kind: v.literal('left-out'), left: wholeFrom(0) }),
])

/** A fault; for any path and for once, unless it says otherwise. */
export const faultSchema = v.strictObject({
  path: v.optional(v.nullable(v.string()), null),
  times: v.optional(v.nullable(wholeFrom(1)), 1),
  does,
})

/** One thing that goes wrong, `times` times (null: until cleared), at a path (null: any; `download` for the file server). */
export type Fault = Readonly<v.InferOutput<typeof faultSchema>>

export const clockChange = v.strictObject({ advance: milliseconds })

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
