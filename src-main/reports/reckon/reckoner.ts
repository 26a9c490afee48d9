import type { Asked, Reckoned, ReckoningName } from './asking.ts'

/** Computes answers from kept tables, in a thread of its own. */
export type Reckoner = {
  /** @throws DeskFailure of kind `internal` where the thread fails */
  readonly [N in ReckoningName]: (asked: Asked<N>) => Promise<Reckoned<N>>
} & {
  /** Ends the thread; what is asked still fails as `cancelled`. */
  readonly close: () => Promise<void>
}

export type ReckonerOptions = {
  /** The profile folder, whose file the thread reads. */
  readonly folder: string
  /** The file that the thread runs. */
  readonly worker: string | URL
  /** How long nothing has to be asked before the thread is ended, in milliseconds. */
  readonly idle?: number
}
