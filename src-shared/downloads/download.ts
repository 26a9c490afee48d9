import type { RawReport } from '../api/answers.ts'
import type { Failure } from '../api/failure.ts'
import type { JobProgress } from '../app/jobs.ts'
import { patternParts } from '../raw/settings.ts'
import type { Day } from '../values/day.ts'
import type { AccountId, Instant, RawReportId } from '../values/ids.ts'
import { safeStem, stemOfPattern, unknownPartsOf } from '../values/text.ts'

/** Id of a download, a random UUID. */
export type DownloadId = string & { readonly __brand: 'DownloadId' }

/** State of a download. Progress is in bytes; `speed` is in bytes per second over the last seconds. */
export type DownloadState =
  | { readonly kind: 'waiting' }
  | ({ readonly kind: 'running'; readonly speed: number | null } & JobProgress)
  /** Paused by the user or a problem. Those with an automatic retry say so. */
  | ({
      readonly kind: 'paused'
      readonly why: 'person' | 'disk' | 'connection' | 'token' | 'interrupted'
    } & JobProgress)
  | { readonly kind: 'checking' }
  /** The archive is saved and is being unpacked. */
  | { readonly kind: 'unpacking' }
  /** `archive`: the archive is saved, and only unpacking failed. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly archive?: 'saved' }
  | { readonly kind: 'saved'; readonly time: Instant }
  /** The saved file was moved or deleted. */
  | { readonly kind: 'missing' }

/** A download in the user's order. */
export type Download = {
  readonly id: DownloadId
  readonly account: AccountId
  readonly report: RawReportId
  /** Name of the report. */
  readonly name: string
  /** Name of the current or future file. Windows never receive folders. */
  readonly file: string
  /** Host of the download; null until the service has given an address. */
  readonly host: string | null
  /** Size of the response in bytes if known; of the file once saved. */
  readonly size: number | null
  /** Size in the report's record if it differs from the file's. The contract gives no unit. */
  readonly recordedSize?: number
  /** When the service deletes the archive. Until then it can be downloaded again. */
  readonly expires: string | null
  readonly state: DownloadState
}

/** Changes of downloads, at most a few times a second, so that windows need not fetch the whole list. */
export type DownloadsChanged = {
  /** Changed downloads; new ones are appended to the list. */
  readonly changed: readonly Download[]
  /** Removed downloads. */
  readonly removed: readonly DownloadId[]
  /** Whether the order changed, so that the list must be fetched. */
  readonly reordered: boolean
}

type NamedReport = Pick<RawReport, 'name' | 'start' | 'end' | 'type' | 'instance_name'>
type Part = (typeof patternParts)[number]

/**
 * Returns a download's file name without extension, from a pattern (settings.ts). The parts are untrusted: the result
 * is valid on every system and contains no path.
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
  // A single day is written once.
  const written = report.start === report.end ? pattern.replaceAll('{start} to {end}', '{start}') : pattern
  return stemOfPattern(written, parts, ['account', 'name', 'instance', 'type'], 'Raw report')
}

/** Removes days and type from the service's default names if the pattern adds them. */
function nameBeside(pattern: string, { name, start, end, type }: NamedReport): string {
  const saysDays = pattern.includes('{start}') && pattern.includes('{end}')
  const rest = saysDays && start && end ? name.replace(`${start} to ${end}`, '').trim() : name
  return pattern.includes('{type}') && rest.toLowerCase() === type.toLowerCase() ? '' : rest
}

const plain = (text: string) => safeStem(text, '')

/** Returns the unknown names in braces, most likely typing mistakes. */
export const unknownParts = (pattern: string): string[] => unknownPartsOf(pattern, patternParts)

/** An example of a report, by the parts of a pattern. */
type Example = Omit<Readonly<Record<Part, string>>, 'start' | 'end'> & {
  readonly start: Day
  readonly end: Day
}

/** Returns the file name that a pattern yields for an example. */
export function previewOf(pattern: string, { account, instance, ...report }: Example): string {
  return `${stemAfter(pattern, account, { ...report, instance_name: instance })}.zip`
}
