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

/** A phase of the limited token: the visible instances, and the number of requests it lasts. */
const turn = v.strictObject({
  requests: wholeFrom(1),
  /** Whether the phase may end before the list of instances was requested in it. */
  unseen: v.optional(v.boolean()),
  instances: v.pipe(v.array(instanceSchema), v.readonly()),
})

/** Longest range in days by kind of endpoint; null for no limit. */
const windows = v.strictObject({ tables: window, overview: window, lookups: window })

const raw = v.strictObject({
  /** Response to a refused raw/request, raw/cancel or raw/remove: `success: false` with feedback, or a 400. */
  refusals: v.picklist(['feedback', 'bad-request']),
  /** Processing minutes per day. */
  minutes: wholeFrom(0),
  /** Maximum number of API reports in progress at one time. */
  concurrency: wholeFrom(1),
  /** Duration of one processing minute, in seconds of the sandbox's clock. */
  secondsPerMinute: v.pipe(v.number(), v.minValue(0)),
  /**
   * Fault of raw/table. `rows-left-out`: every third row of a page is missing, but `results` counts it.
   * `reports-hidden`: every third report is missing. `rows-twice`: every third row repeats in its earlier state.
   */
  list: v.picklist(['whole', 'rows-left-out', 'reports-hidden', 'rows-twice']),
  /** Format of timestamps: with an offset, or without one after a `T` or a space. All are UTC. */
  moments: v.picklist(['offset', 'iso-without-offset', 'space-without-offset']),
  /** Meaning of `file_size`: the archive's size in bytes, kB or MB, that of its table, or an invalid value. */
  fileSizes: v.picklist(['bytes', 'kilobytes', 'megabytes', 'unpacked', 'zero', 'negative', 'text']),
  /** Status labels: those of the specification and of observed services, or unknown ones. */
  labels: v.picklist(['known', 'strange']),
  /** Value of timestamps of events that have not happened. */
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
  /** Encoding of spaces in encoded text. */
  spaces: v.picklist(['percent', 'plus', 'mixed']),
  instanceIds: v.picklist(['number', 'text', 'mixed']),
  /** Whether the second instance has the first one's name. */
  oneName: v.boolean(),
  errorBodies: v.picklist(['error-text', 'error-object', 'message', 'html', 'empty']),
  /** Endpoints that support `chart`; `unknown-shape` sends a form that no client recognises. */
  charts: v.picklist(['all', 'direct-overview', 'none', 'unknown-shape']),
  rates: v.picklist(['numbers', 'texts', 'none']),
  rules: v.boolean(),
  /**
   * Number of the first column in `sort`, which the specification leaves open. With 0, the defaults mean the most
   * requests first (tables, `1:desc`) and the newest first (raw/table, `3:desc`).
   */
  sortColumnsFrom: v.picklist([0, 1]),
  /** Order of rows that `sort` leaves equal: by label, or different in each response. */
  ties: v.picklist(['by-label', 'shuffled']),
  /** Whether a sort by label is applied, ignored or refused. */
  labelSort: v.picklist(['taken', 'ignored', 'refused']),
  /** Maximum rows per page of a table, which overrides `limit`. */
  rowsPerPage: window,
  /** Whether each response of tables and overviews counts more of today's events, until all are counted. */
  growing: v.boolean(),
  /** What the row for all and `total` cover in a search: all rows, or the matching ones. */
  searchedAll: v.picklist(['everything', 'found']),
  /** Accepted encodings of request bodies; others get a 400. */
  bodies: v.picklist(['both', 'json', 'form']),
  /** Whether the filters `source` and `campaign` are case-sensitive. If not, an event counts under two names. */
  filterCase: v.picklist(['apart', 'any']),
  /** Sources, campaigns and instance ids for which nothing is counted or listed. */
  forgotten: v.pipe(v.array(v.string()), v.readonly()),
  /** Whether `query` echoes `token`, as a careless service might. */
  echoesToken: v.boolean(),
  /** Whether answers contain members that are not specified. */
  unknownMembers: v.boolean(),
  /**
   * Fault of every third row and list entry: null, a missing id (or name, or label), or an object in place of another
   * member.
   */
  oddEntries: v.picklist(['none', 'null', 'without-id', 'object-inside']),
  raw,
  /** Whether the download server supports range requests. */
  downloadRanges: v.boolean(),
  /** Validator of archives: a strong or weak ETag, a date (the same for all), or none. */
  downloadTags: v.picklist(['strong', 'weak', 'dates', 'none']),
  /** Content coding of archives, independent of Accept-Encoding. ETags and ranges refer to the encoded bytes. */
  downloadCoding: v.picklist(['identity', 'gzip', 'deflate', 'raw-deflate', 'br', 'zstd', 'gzip, gzip']),
  /** Whether archives are sent chunked, without a length. */
  downloadChunks: v.boolean(),
  /** Version of archives. Each has different bytes and ETags; from 1 on the size is the same. */
  archiveVersion: v.pipe(wholeFrom(0), v.maxValue(9999)),
  /** Whether archives have zero bytes, and reports say so. */
  emptyArchives: v.boolean(),
  /** Restated days: counts are computed as if their events had been reclassified. */
  restated: v.pipe(v.array(day), v.readonly()),
  /**
   * Phases of the limited token. A phase ends after its number of requests, and not before the list of instances was
   * requested unless `unseen`. The last phase never ends. Empty: the instances of `POST /tokens`.
   */
  turns: v.pipe(v.array(turn), v.readonly()),
  /** Offset of the Date header in milliseconds; null omits the header. */
  clockSkew: v.nullable(v.pipe(v.number(), v.integer())),
})

/**
 * Choices that the specification leaves open (field notes). They can change while the sandbox runs; `plainBehaviour` is
 * the initial state.
 */
export type Behaviour = Readonly<v.InferOutput<typeof behaviour>>

export type Turn = v.InferOutput<typeof turn>

/** Partial behaviour; absent members stay unchanged. */
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
  /** Closes the connection after this share of the body. */
  v.strictObject({ kind: v.literal('cut'), after: v.pipe(v.number(), v.minValue(0), v.maxValue(1)) }),
  v.strictObject({ kind: v.literal('html') }),
  v.strictObject({ kind: v.literal('malformed') }),
  /** Sends text before the answer, as a warning of the service's runtime would be. */
  v.strictObject({ kind: v.literal('text-before'), text: v.string() }),
  /** Sends a few bytes at a time. */
  v.strictObject({ kind: v.literal('drip'), bytes: wholeFrom(1), everyMilliseconds: milliseconds }),
  v.strictObject({ kind: v.literal('redirect'), to: v.pipe(v.string(), v.url()) }),
  v.strictObject({ kind: v.literal('reset') }),
  /** Only for downloads: sends a Content-Length that is not the file's. */
  v.strictObject({ kind: v.literal('wrong-length') }),
  /** Sends an empty body that is complete for HTTP. */
  v.strictObject({ kind: v.literal('nothing') }),
  /** Sends only the first entries of a list with status 200, and counts only these; 0 empties the list. */
  v.strictObject({ kind: v.literal('left-out'), left: wholeFrom(0) }),
])

/** Schema of a fault; by default for any path, and once. */
export const faultSchema = v.strictObject({
  path: v.optional(v.nullable(v.string()), null),
  times: v.optional(v.nullable(wholeFrom(1)), 1),
  does,
})

/** A fault that happens `times` times (null: until cleared) at a path (null: any; `download`: the file server). */
export type Fault = Readonly<v.InferOutput<typeof faultSchema>>

export const clockChange = v.strictObject({ advance: milliseconds })

/** Index of an event in the columns. Events are sorted by time. */
export type EventIndex = number

/**
 * Row-level events, the source of all figures of the sandbox, so that tables, totals and raw rows agree. Typed columns
 * save memory for several hundred thousand events.
 */
export type RawRows = {
  /** Events of a raw type in one instance and range, sorted by time. `request` rows include drops. */
  readonly rows: (type: RawType, instance: InstanceId, range: DayRange) => Iterable<EventIndex>
  /** Time of the event: ISO 8601 in UTC. */
  readonly timestamp: (event: EventIndex) => string
  /**
   * Plain (not encoded) value of a standard column, or of an additional column by number; '' if empty. A request's
   * `result` is a filter but no column: `with-responses` or `drops`.
   */
  readonly value: (type: RawType, column: string | number, event: EventIndex) => string
  /** The rows after days were restated (`Behaviour.restated`), for a new report. */
  readonly restated: (days: readonly Day[]) => RawRows
}

/** Rights of a token. Null `instances` means all. */
export type TokenRights = {
  readonly admin: boolean
  readonly instances: readonly InstanceId[] | null
  readonly state: 'valid' | 'expired' | 'revoked'
}

/** An authorised request with validated parameters. */
export type SandboxRequest = {
  readonly path: EndpointPath
  /** Parsed values by name (days, flags, sort keys ...); absent if not given. See `argumentsOf`. */
  readonly parameters: Readonly<Record<string, unknown>>
  /**
   * Members of `query` except `results` and `pages`: every parameter as supplied, else false, or the default of sort,
   * page and limit.
   */
  readonly echo: Readonly<Record<string, unknown>>
  readonly rights: TokenRights
  readonly behaviour: Behaviour
  /** The sandbox's time in milliseconds since 1970, and its day. */
  readonly now: number
  readonly today: Day
}

/**
 * Returns a request's parameters with their types. Only required ones are certain to be present.
 * @throws TypeError if the request is for another endpoint
 */
export function argumentsOf<P extends EndpointPath>(path: P, request: SandboxRequest): ArgumentsFor<P> {
  if (request.path !== path) throw new TypeError(`A request for ${request.path} is none for ${path}`)
  return request.parameters as ArgumentsFor<P>
}

/**
 * Answers an endpoint with JSON data or a promise, because a report's size needs its archive. Text to URL-encode is
 * wrapped in `encoded()`; the server applies the behaviour.
 * @throws `Refusal` for any status other than 200, or rejects with it
 */
export type SandboxHandler = (request: SandboxRequest) => unknown

/** A response with a status other than 200. */
export class Refusal extends Error {
  readonly status: number
  constructor(status: number, words: string) {
    super(words)
    this.name = 'Refusal'
    this.status = status
  }
}

/** Text that the server URL-encodes; see `SandboxHandler`. */
export class EncodedText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const encodedText = (text: string): EncodedText => new EncodedText(text)
