import type { Download, DownloadId } from '#shared/downloads/download.ts'
import type { RawTemplate } from '#shared/raw/asking.ts'
import type { SavedState } from '#shared/raw/listed.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { FetchOptions } from './fetching.ts'
import type { PipelineParts } from './pipeline.ts'

/** What is known of a report without asking the service. */
export type KnownReport = Pick<RawListRow, 'id' | 'name' | 'expires'>

export type DownloadsParts = PipelineParts &
  FetchOptions & {
    readonly store: Pick<Store, 'run'>
    /** How folders are looked at: the whole process's way, unless another is given. */
    readonly looks?: SlowFolderGuard
    /** The folder of downloads, as it is set at this moment. */
    readonly downloads: () => Promise<string>
    /** Lets the person choose a folder; null where they thought better of it. */
    readonly chooseFolder: () => Promise<string | null>
    /** A report of the kept list; null where it is not in it. */
    readonly knownReport: (account: AccountId, report: RawReportId) => Promise<KnownReport | null>
    /** The template that a report was asked for with; null where there was none. */
    readonly templateOf: (
      account: AccountId,
      report: RawReportId,
    ) => Promise<Pick<RawTemplate, 'save'> | null>
    /** Shows a file in the system's file manager. */
    readonly showFile: (path: string) => void
    /** Opens a file with the program that the system has for it; what is wrong in words, or nothing. */
    readonly openFile: (path: string) => Promise<string>
    /** 0 to 1, for the jitter of pauses. */
    readonly random?: () => number
  }

/** An archive that was saved. */
export type SavedArchive = {
  readonly report: RawReportId
  readonly name: string
  readonly path: string
  readonly addedAt: Instant
}

/** Raw reports' archives on their way to the disk. Every call throws `DeskFailure`s. */
export type Downloads = {
  /** All of them. Their files are looked for, as far as their folders answer soon; what is found later is told. */
  readonly list: () => Promise<readonly Download[]>
  /** All of them as far as is known: no disk is asked. */
  readonly known: () => Promise<readonly Download[]>
  readonly start: (asked: {
    readonly account: AccountId
    readonly report: RawReportId
    readonly choose: boolean
    readonly anew?: boolean
  }) => Promise<{ readonly id: DownloadId } | null>
  readonly pause: (id: DownloadId) => Promise<null>
  readonly resume: (id: DownloadId) => Promise<null>
  readonly cancel: (id: DownloadId) => Promise<{ readonly stays: string | null }>
  readonly order: (ids: readonly DownloadId[]) => Promise<null>
  readonly show: (id: DownloadId) => Promise<null>
  readonly showReport: (asked: { readonly account: AccountId; readonly report: RawReportId }) => Promise<null>
  readonly open: (id: DownloadId) => Promise<null>
  /** A report became ready: it is saved where the rule says so. Told twice, it is saved once. */
  readonly reportReady: (account: AccountId, report: KnownReport) => Promise<void>
  /** Where a report's file is, as far as is known at this moment. */
  readonly savedState: (account: AccountId, report: RawReportId) => SavedState
  /** The archives of an account that are saved, the newest first; `path` is where each was put, whether or not it is there still. */
  readonly saved: (account: AccountId) => Promise<readonly SavedArchive[]>
  /** Goes on with what the last session left. */
  readonly begin: () => Promise<void>
  /** Awake, online, looked at, or set otherwise: what paused by itself goes on, and files are looked for. */
  readonly retryNow: () => void
  /** The service of one account is back: what paused by itself of its reports goes on. */
  readonly wake: (account: AccountId) => void
  /** Fetches nothing for the time being, or goes on: the person wants quiet. */
  readonly hold: (held: boolean) => void
  /** Gives up everything of an account that is about to be removed; saved files stay. */
  readonly forget: (account: AccountId) => Promise<void>
  /** Breaks off what runs; it goes on at the next `begin`. */
  readonly close: () => Promise<void>
}
