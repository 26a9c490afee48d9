import type { Failure } from '#shared/api/failure.ts'

/** A line to another thread or process. What comes over it is checked by who made the other end. */
export type Line = {
  readonly post: (message: unknown) => void
  readonly onMessage: (listener: (message: unknown) => void) => void
  /** Hears once that the other end has gone, with the error that ended it, where one did. */
  readonly onEnd: (listener: (error: unknown) => void) => void
  /** Whether this process has to go on for the sake of the other end. It has not until told otherwise. */
  readonly hold: (needed: boolean) => void
  /** Ends the other end, whatever it is doing. */
  readonly kill: () => void
}

/**
 * The functions that can be called at the other end, by name. Each takes one argument that can be cloned, and a signal that
 * is aborted when the caller gives up.
 */
export type Calls<C> = { readonly [N in keyof C]: (argument: never, signal: AbortSignal) => unknown }

export type ArgumentOf<F> = F extends (argument: infer A, signal: AbortSignal) => unknown ? A : never
export type ResultOf<F> = F extends (argument: never, signal: AbortSignal) => infer R ? Awaited<R> : never

/** What is sent to the other end: a call, that one is given up, or that it is to finish what it does and end. */
export type ToServer =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'close' }

/** What comes back: the end of a call, or something that nobody asked for. */
export type FromServer =
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown }
  /** `cause` is for the log: where the failure is a mistake of ours, its stack. */
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure; readonly cause: string | null }
  | { readonly kind: 'event'; readonly event: unknown }
