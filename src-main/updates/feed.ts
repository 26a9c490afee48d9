import { verify } from 'node:crypto'
import * as v from 'valibot'
import { deskFailure } from '#shared/api/failure.ts'
import type { Offer } from '#shared/app/state.ts'
import type { Instant } from '#shared/values/ids.ts'
import { instant, readJson } from '#shared/values/schemas.ts'
import { isSafe, publicKey } from './source.ts'
import type { UpdateSource } from './source.ts'

/** Version number of the app: three integers. */
const versionPattern = /^(?:0|[1-9]\d{0,5})(?:\.(?:0|[1-9]\d{0,5})){2}$/

/** Maximum sizes of a feed and its signature, in bytes. */
export const largest = { feed: 64 * 1024, signature: 1024 } as const

const moment = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.transform((text) => Date.parse(text)),
  instant,
)

const schema = v.object({
  /** Distinguishes feeds from other data signed with the same key. */
  format: v.literal('traffic-desk-updates-2'),
  version: v.pipe(v.string(), v.regex(versionPattern)),
  date: moment,
  expires: moment,
  notes: v.pipe(v.string(), v.maxLength(8000)),
  /** Page from which people get the version. */
  page: v.pipe(v.string(), v.minLength(1), v.maxLength(2000)),
})

/** A feed as received. */
export type SignedFeed = { readonly text: string; readonly signature: string }

/** Content of a feed for the installed version. `date` is the feed's. */
export type FeedNews = { readonly date: Instant; readonly offer: Offer | null }

export type FeedReader = {
  readonly source: UpdateSource
  /** The installed version. */
  readonly running: string
  /** Date of the newest feed read so far; older feeds are rejected. */
  readonly newest: number | null
  readonly now: number
}

/**
 * Verifies the signature of a feed over its exact bytes, then parses the feed.
 * @throws DeskFailure `malformed` if the feed is unsigned, modified, invalid, expired, or older than an earlier feed
 */
export function readFeed({ text, signature }: SignedFeed, reader: FeedReader): FeedNews {
  if (!isSigned(text, signature, reader.source.key))
    throw refused('It is not signed by the maker of Traffic Desk. Tell whoever gave you the app.')
  const read = readJson(schema, text)
  if (!read) throw refused("This version can't read it. Get the newest version by hand.")
  const { version, date, expires, notes, page } = read
  if (reader.now > expires)
    throw refused("It is out of date. Check this computer's clock, or check again in a few days.")
  if (reader.newest !== null && date < reader.newest)
    throw refused('It is older than an earlier one. Check again later.')
  if (!isSafe(page)) throw refused('It names an address that is not allowed.')
  if (!isNewer(version, reader.running)) return { date, offer: null }
  return { date, offer: { version, date, notes, page: new URL(page).href } }
}

function isSigned(text: string, signature: string, key: string): boolean {
  const written = /^([A-Za-z0-9+/]{86}==)\s*$/.exec(signature)?.[1]
  return (
    written !== undefined && verify(null, Buffer.from(text), publicKey(key), Buffer.from(written, 'base64'))
  )
}

const refused = (why: string) => deskFailure('malformed', `The list of updates was rejected. ${why}`)

/**
 * Whether a version is newer than the installed one. A version with a suffix, such as `-not-for-people`, precedes the one
 * without.
 */
function isNewer(version: string, running: string): boolean {
  const [plain = '', ...mark] = running.split('-')
  const [theirs, ours] = [numbersOf(version), numbersOf(plain)]
  const index = theirs.findIndex((number, place) => number !== ours[place])
  return index === -1 ? mark.length > 0 : (theirs[index] ?? 0) > (ours[index] ?? 0)
}

const numbersOf = (version: string): readonly number[] => version.split('.').map(Number)
