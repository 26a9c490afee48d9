import type { AccountId, Instant, RawReportId } from '../values/ids.ts'
import type { Announcement } from './announcements.ts'
import type { RawDone } from './listed.ts'

/** What windows are told of raw reports: they ask again. */
export type RawEvents = {
  /** The list, a record, a pending removal, or whether the list can be asked for. */
  readonly 'raw/changed': { readonly account: AccountId }
  /** What became of a removal, once it was sent. */
  readonly 'raw/removed': { readonly account: AccountId } & RawDone
}

/** A report that is being made. */
export type RunningReport = {
  readonly account: AccountId
  readonly report: RawReportId
  readonly name: string
  /** When the desk first saw it. */
  readonly since: Instant
}

/** Raw reports of all accounts in a few words, for the tray. */
export type RawSummary = {
  readonly running: readonly RunningReport[]
  /** Reports that became ready since the person last looked at the list. */
  readonly readyUnseen: number
  /** What else happened since, and wants to be looked at. */
  readonly attention: number
  /** The end that was found last. */
  readonly lastFinished: Announcement | null
}
