import type { Account, Connection, ProxyState } from '../accounts/account.ts'
import type { Failure } from '../api/failure.ts'
import type { ReportAnswer } from '../reports/answer.ts'
import type { AccountId, Instant } from '../values/ids.ts'
import type { Weekday } from '../views/period.ts'

/** Something the person should know that is not about one answer. */
export type Notice = {
  readonly id: string
  readonly tone: 'information' | 'warning' | 'trouble'
  readonly title: string
  readonly text: string
}

/** What a window needs to begin. */
export type DeskState = {
  readonly version: string
  readonly accounts: readonly Account[]
  readonly active: AccountId | null
  readonly connection: Connection
  readonly notices: readonly Notice[]
  /** Proxies that wait for a person to sign in. */
  readonly proxies: readonly ProxyState[]
  /** The address of the view that was open last, as the renderer wrote it. */
  readonly lastView: string | null
  /** What a window that has just opened asks first, as far as it was answered at once: it is drawn with its figures. */
  readonly answers: readonly ReportAnswer[]
  /** On which day weeks begin, 1 for Monday. */
  readonly weeksBeginOn: Weekday
}

/** What Help says of the app itself. */
export type About = {
  readonly version: string
  /** Of which commit of the sources it was made, `+` at the end where they were changed since; null where nobody knows. */
  readonly commit: string | null
  /** What it runs on: "Electron 45.1.0, Chromium 150.0, Node 24.2.0". */
  readonly runtime: string
  /** "Linux 6.8.0, x64". */
  readonly system: string
  /** What a problem report holds, as plain text. */
  readonly problemReport: string
}

/** After how many minutes without input the window is locked. */
export const lockMinutes = [5, 15, 30, 60] as const
export type LockMinutes = (typeof lockMinutes)[number]

/** The address of a window that shows the lock alone. */
export const lockAddress = '#/lock'

/** In characters; what is longer than a line is no passphrase. */
export const passphraseLength = { min: 8, max: 200 } as const

/** How it stands with the lock of the window. */
export type LockState = {
  readonly locked: boolean
  /** Null where the lock is off. */
  readonly after: LockMinutes | null
  /** Until when no passphrase is tried, after wrong ones; null where one may be. */
  readonly waitsUntil: Instant | null
}

/** A newer version, as its maker announced it. */
export type Offer = {
  readonly version: string
  /** When it was announced. */
  readonly date: Instant
  /** What is new, as plain text; may be empty. */
  readonly notes: string
  /** Of the file for this computer, in bytes. */
  readonly size: number
}

/** How far it is with a newer version. */
export type UpdateStage =
  /** None is known of: nobody looked yet, or this one is the newest. */
  | { readonly kind: 'none' }
  | { readonly kind: 'looking' }
  | { readonly kind: 'there'; readonly offer: Offer }
  /** Its job says how far it is. */
  | { readonly kind: 'downloading'; readonly offer: Offer }
  /** It lies on the disk, and is what its maker made. */
  | { readonly kind: 'ready'; readonly offer: Offer }
  /** The system's installer was opened with it. */
  | { readonly kind: 'opened'; readonly offer: Offer }
  /** It is in the place of the one that runs: the next start begins it. */
  | { readonly kind: 'replaced'; readonly offer: Offer }

/** How it stands with updates. Without a feed there are none, and nobody is ever asked. */
export type UpdateState =
  | { readonly kind: 'without-feed' }
  | {
      readonly kind: 'with-feed'
      /** Whether it is looked for a newer version once a day. */
      readonly daily: boolean
      /** Whether the file that runs is replaced, or the system's installer is opened with the new one. */
      readonly installs: 'by-replacing' | 'by-installer'
      /** When it was looked last, with an answer that held; null for never. */
      readonly checkedAt: Instant | null
      readonly stage: UpdateStage
      /** Why the last step failed. */
      readonly failure: Failure | null
    }

/** What a person can do about updates. `install` replaces the app, or opens the system's installer, as the package is made. */
export const updateSteps = ['look', 'download', 'cancel', 'install', 'restart'] as const
export type UpdateStep = (typeof updateSteps)[number]
