import type { Instant } from '../values/ids.ts'

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
