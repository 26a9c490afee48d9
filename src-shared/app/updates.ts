import type { Failure } from '../api/failure.ts'
import type { Instant } from '../values/ids.ts'

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
  /** `done` in bytes. */
  | { readonly kind: 'downloading'; readonly offer: Offer; readonly done: number }
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
      readonly lookedAt: Instant | null
      readonly stage: UpdateStage
      /** Why the last step failed. */
      readonly failure: Failure | null
    }

/** What a person can do about updates. `install` replaces the app, or opens the system's installer, as the package is made. */
export const updateSteps = ['look', 'download', 'cancel', 'install', 'restart'] as const
export type UpdateStep = (typeof updateSteps)[number]
