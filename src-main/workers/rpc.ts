import type { Failure } from '#shared/api/failure.ts'
import { failureOf } from '#shared/api/failure.ts'
import { cancelled } from '#main/lib/async.ts'

/** A message channel to a thread or process. Messages are validated by the owner of the other end. */
export type Channel = {
  readonly post: (message: unknown) => void
  readonly onMessage: (listener: (message: unknown) => void) => void
  /** Called once when the other end has ended, with its error, if any. */
  readonly onEnd: (listener: (error: unknown) => void) => void
  /** Whether the other end keeps this process running; false by default. */
  readonly hold: (needed: boolean) => void
  /** Terminates the other end at once. */
  readonly kill: () => void
}

/**
 * Functions that can be called over a channel, by name. Each takes one cloneable argument, and a signal that is aborted
 * when the caller cancels.
 */
export type Calls<C> = { readonly [N in keyof C]: (argument: never, signal: AbortSignal) => unknown }

export type ArgumentOf<F> = F extends (argument: infer A, signal: AbortSignal) => unknown ? A : never
export type ResultOf<F> = F extends (argument: never, signal: AbortSignal) => infer R ? Awaited<R> : never

/** A call, in either direction. */
export type Call = {
  readonly kind: 'call'
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

/** Outcome of a call. `cause` is the stack of an internal error, for the log. */
export type Ended =
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure; readonly cause: string | null }

/** Messages to the worker. */
export type ToServer =
  Call | Ended | { readonly kind: 'cancel'; readonly id: number } | { readonly kind: 'close' }

/** Messages from the worker. */
export type FromServer = Ended | Call | { readonly kind: 'event'; readonly event: unknown }

export type Known = ReadonlyMap<string, (argument: never, signal: AbortSignal) => unknown>

export const knownCalls = <C extends Calls<C>>(calls: C): Known => new Map(Object.entries(calls))

type Answering = {
  readonly known: () => Known
  readonly signal: AbortSignal
  readonly causeOf: (error: Error) => string | null
  readonly send: (ended: Ended) => void
}

/** Runs a call and sends its outcome. A result that cannot be cloned counts as a failure. */
export async function answerCall(
  { id, name, argument }: Call,
  { known, signal, causeOf, send }: Answering,
): Promise<void> {
  try {
    const call = known().get(name)
    if (!call) throw new TypeError('There is no such call')
    send({ kind: 'done', id, result: await call(argument as never, signal) })
  } catch (thrown) {
    const error = signal.aborted ? cancelled() : thrown
    const failure = failureOf(error)
    const cause = failure.kind === 'internal' && error instanceof Error ? causeOf(error) : null
    send({ kind: 'failed', id, failure, cause })
  }
}

export const stackOf = (error: Error): string | null => error.stack ?? null
