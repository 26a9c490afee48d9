import type { Account, Connection, ProxyState } from '../accounts/account.ts'
import type { Failure } from '../api/failure.ts'
import type { ReportAnswer } from '../reports/answer.ts'
import type { AccountId, Instant } from '../values/ids.ts'
import type { Weekday } from '../views/period.ts'

/** A banner in the window, independent of any answer. */
export type Notice = {
  readonly id: string
  readonly tone: 'information' | 'warning' | 'trouble'
  readonly title: string
  readonly text: string
}

/** Initial state of a window. */
export type DeskState = {
  readonly version: string
  readonly accounts: readonly Account[]
  readonly active: AccountId | null
  /** Connections of the accounts; unknown if missing. */
  readonly connections: Readonly<Partial<Record<AccountId, Connection>>>
  readonly notices: readonly Notice[]
  /** Proxies that require credentials. */
  readonly proxies: readonly ProxyState[]
  /** Address of the view that was last open, as written by the renderer. */
  readonly lastView: string | null
  /** Answers to the first view's queries, as far as available at once, so that the window is drawn with figures. */
  readonly answers: readonly ReportAnswer[]
  /** First day of the week, 1 for Monday. */
  readonly weeksBeginOn: Weekday
}

/** Information about the app for Help. */
export type About = {
  readonly version: string
  /** Commit of the build, with `+` if the sources were modified; null if unknown. */
  readonly commit: string | null
  /** Runtime: "Electron 45.1.0, Chromium 150.0, Node 24.2.0". */
  readonly runtime: string
  /** Operating system: "Linux 6.8.0, x64". */
  readonly system: string
  /** Content of a problem report, as plain text. */
  readonly problemReport: string
}

/** Minutes without input until the window is locked. */
export const lockMinutes = [5, 15, 30, 60] as const
export type LockMinutes = (typeof lockMinutes)[number]

/** Address of a window that only shows the lock. */
export const lockAddress = '#/lock'

/** In characters. Text beyond the maximum is no passphrase. */
export const passphraseLength = { min: 8, max: 200 } as const

/** State of the window's lock. */
export type LockState = {
  readonly locked: boolean
  /** Null if the lock is off. */
  readonly after: LockMinutes | null
  /** End of the delay after wrong passphrases; null if a passphrase may be entered. */
  readonly waitsUntil: Instant | null
}

/** A newer version in the update feed. */
export type Offer = {
  readonly version: string
  /** Date of publication. */
  readonly date: Instant
  /** Release notes as plain text; may be empty. */
  readonly notes: string
  /** Address of the page from which people get the version. */
  readonly page: string
}

/** State of updates. Without a feed, no request is ever sent. */
export type UpdateState =
  | { readonly kind: 'without-feed' }
  | {
      readonly kind: 'with-feed'
      /** Whether updates are checked daily. */
      readonly daily: boolean
      readonly checking: boolean
      /** When the feed was last checked successfully; null for never. */
      readonly checkedAt: Instant | null
      /** Null if no newer version is known: not checked yet, or up to date. */
      readonly offer: Offer | null
      /** Why the last check failed. */
      readonly failure: Failure | null
    }
