import type { RawReport } from '../api/answers.ts'
import type { Failure } from '../api/failure.ts'
import type { JobProgress } from '../app/jobs.ts'
import { patternParts } from '../raw/settings.ts'
import type { Day } from '../values/day.ts'
import type { AccountId, Instant, RawReportId } from '../values/ids.ts'
import { bytesOf, charactersOf, safeStem } from '../values/text.ts'

/** A download of a raw report's archive; a random UUID. */
export type DownloadId = string & { readonly __brand: 'DownloadId' }

/** How a download stands: bytes of its file; `speed` in bytes a second over the last seconds. */
export type DownloadState =
  | { readonly kind: 'waiting' }
  | ({ readonly kind: 'running'; readonly speed: number | null } & JobProgress)
  /** By hand, or because the disk has no room or the service away: what goes on by itself says so. */
  | ({
      readonly kind: 'paused'
      readonly why: 'person' | 'disk' | 'connection' | 'token' | 'interrupted'
    } & JobProgress)
  | { readonly kind: 'checking' }
  /** The archive is saved; the tables in it are on their way. */
  | { readonly kind: 'unpacking' }
  /** `archive`: it is saved, and only the tables in it are not. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly archive?: 'saved' }
  | { readonly kind: 'saved'; readonly time: Instant }
  /** Saved once, and moved or deleted since. */
  | { readonly kind: 'missing' }

/** A download as the view Downloads lists it, in the person's order. */
export type Download = {
  readonly id: DownloadId
  readonly account: AccountId
  readonly report: RawReportId
  /** The report's name. */
  readonly name: string
  /** The file's name alone, as it is or is going to be; folders are never told to a window. */
  readonly file: string
  /** Where it is fetched from, once an address was given. */
  readonly host: string | null
  /** Bytes of the answer that brings it, if that tells; of the file once it is saved. */
  readonly size: number | null
  /** Size that the report's record says, if the file has another one: the contract gives no unit. */
  readonly recordedSize?: number
  /** When the service is going to delete it: until then it can be fetched again. */
  readonly expires: string | null
  readonly state: DownloadState
}

/** What became of downloads: told a few times a second at most, so that a list need not be asked for again and again. */
export type DownloadsChanged = {
  /** Those that changed, as they are now; new ones stand at the end of the list. */
  readonly changed: readonly Download[]
  /** Those that are off the list. */
  readonly removed: readonly DownloadId[]
  /** Whether they stand in another order: the list is to be asked for anew. */
  readonly reordered: boolean
}

type NamedReport = Pick<RawReport, 'name' | 'start' | 'end' | 'type' | 'instance_name'>
type Part = (typeof patternParts)[number]

/** Names of people and services give way, the longest first, so that days stay whole; in characters and bytes. */
const MAX_CHARACTERS = 96
const MAX_BYTES = 160

const partIn = new RegExp(`\\{(${patternParts.join('|')})\\}`, 'g')
/** A pattern is typed by a person; more of it than this is an accident. */
const LONGEST_PATTERN = 200

/**
 * A file's name without its ending, after a pattern (settings.ts). Everything that goes into it was written
 * by somebody else: the result is safe on every system, and names a file of the folder itself.
 */
export function stemAfter(pattern: string, account: string, report: NamedReport): string {
  const parts: Record<Part, string> = {
    account: plain(account),
    name: plain(nameBeside(pattern, report)),
    start: report.start ?? '',
    end: report.end ?? '',
    type: plain(report.type),
    instance: plain(report.instance_name),
  }
  const filled = () =>
    pattern
      .slice(0, LONGEST_PATTERN)
      .replaceAll(partIn, (_, part: string) => parts[part as Part])
      .replace(/\s+/g, ' ')
  for (let longest = longestOf(parts); longest !== null && isLong(filled()); longest = longestOf(parts)) {
    parts[longest] = charactersOf(parts[longest]).slice(0, -1).join('').trimEnd()
  }
  return safeStem(filled(), safeStem(parts.name, 'Raw report'))
}

/** A name that the service made up says days and type: what the pattern says as well is said once. */
function nameBeside(pattern: string, { name, start, end, type }: NamedReport): string {
  const saysDays = pattern.includes('{start}') && pattern.includes('{end}')
  const rest = saysDays && start && end ? name.replace(`${start} to ${end}`, '').trim() : name
  return pattern.includes('{type}') && rest.toLowerCase() === type.toLowerCase() ? '' : rest
}

const plain = (text: string) => safeStem(text, '')

const isLong = (stem: string) => stem.length > MAX_CHARACTERS || bytesOf(stem) > MAX_BYTES

/** The longest part that says the least by its end. */
function longestOf(parts: Readonly<Record<Part, string>>): Part | null {
  const found = (['account', 'name', 'instance', 'type'] as const).toSorted(
    (a, b) => parts[b].length - parts[a].length,
  )[0]
  return found === undefined || parts[found] === '' ? null : found
}

/** Words between braces that stand for nothing: most likely slips of the hand. */
export function unknownParts(pattern: string): string[] {
  return [...pattern.matchAll(/\{([^{}]*)\}/g)]
    .map(([, part = '']) => part)
    .filter((part) => !patternParts.some((patternPart) => patternPart === part))
}

/** An example of a report, by what may stand in a pattern. */
type Example = Omit<Readonly<Record<Part, string>>, 'start' | 'end'> & {
  readonly start: Day
  readonly end: Day
}

/** The file's name that a pattern gives an example, as a file that is saved gets it. */
export function previewOf(pattern: string, { account, instance, ...report }: Example): string {
  return `${stemAfter(pattern, account, { ...report, instance_name: instance })}.zip`
}
