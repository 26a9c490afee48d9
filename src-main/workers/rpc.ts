import type { Failure } from '#shared/api/failure.ts'
import { failureOf } from '#shared/api/failure.ts'
import { cancelled } from '#main/lib/async.ts'

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

/** A call, to the worker or back from it. */
export type Call = {
  readonly kind: 'call'
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

/** How a call ended. `cause` is for the log: where the failure is a mistake of ours, its stack. */
export type Ended =
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure; readonly cause: string | null }

/** To the worker: a call, the end of one of its own, that a call is given up, or that it is to finish and end. */
export type ToServer =
  Call | Ended | { readonly kind: 'cancel'; readonly id: number } | { readonly kind: 'close' }

/** From the worker: the end of a call, a call of its own, or something that nobody asked for. */
export type FromServer = Ended | Call | { readonly kind: 'event'; readonly event: unknown }

/** Functions by their names. */
export type Known = ReadonlyMap<string, (argument: never, signal: AbortSignal) => unknown>

export const knownCalls = <C extends Calls<C>>(calls: C): Known => new Map(Object.entries(calls))

type Answering = {
  readonly known: () => Known
  readonly signal: AbortSignal
  readonly causeOf: (error: Error) => string | null
  readonly send: (ended: Ended) => void
}

/** Does what is called, and sends how that ended. What the other end cannot be sent fails as well. */
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

/** What the log is to know of a mistake of ours. */
export const stackOf = (error: Error): string | null => error.stack ?? null
