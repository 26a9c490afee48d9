import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Fetching } from './fetch.ts'
import type { PackageHere } from './package-here.ts'
import type { UpdateSource } from './source.ts'

/** What updates are made of. */
export type UpdatesParts = {
  /** Null for no feed: then nothing is ever asked. */
  readonly source: UpdateSource | null
  readonly here: PackageHere
  /** The version that runs. */
  readonly running: string
  /** The folder of packages: its owner's alone. */
  readonly folder: string
  readonly store: Pick<Store, 'run'>
  readonly clock: Clock
  /** 0 to 1, so that not all computers ask at the same time. */
  readonly random: () => number
  readonly fetching: Fetching
  readonly events: Emitter
  /** Opens a file with the program that the system has for it; what is wrong in words, or nothing. */
  readonly openFile: (path: string) => Promise<string>
  readonly restart: () => void
  readonly log: (words: string, error?: unknown) => void
}
