import type { CallArgument, CallName, CallResult } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { systemClock, withTimeout } from './async.ts'
import type { Clock } from './async.ts'

/**
 * What answers each call. Every name of `calls` has exactly one entry: leaving one out, or adding one that no window
 * can ask for, is a type error.
 */
export type Handlers = {
  readonly [N in CallName]: (argument: CallArgument<N>) => CallResult<N> | Promise<CallResult<N>>
}

/** What answers one call, and never at once. */
export type Handler<N extends CallName> = (argument: CallArgument<N>) => Promise<CallResult<N>>

/** A feature: what it answers, and how it lives. The app has all of them in one list (app/app.ts). */
export interface Module {
  /** For the log. */
  readonly name: string
  readonly handlers?: Partial<Handlers>
  /** Does from now on what runs automatically. The first view stands by then. */
  start?(): unknown
  /** Does nothing automatically for the time being, or goes on: the person wants quiet. */
  pause?(paused: boolean): void
  /** Tries again now what waits. @param account the one whose service is back; none where the machine woke up or found a network */
  wake?(account?: AccountId): void
  /** Ends what is under way, and follows nothing any more. The store is open still. */
  stop(): Promise<void>
}

/** How long is waited for one, and for all of them together, in milliseconds. */
type ClosingLimits = { readonly one: number; readonly all: number }

/**
 * Closes one after the other. None that fails or hangs keeps the next from it: when the time of all is up, what is left is
 * begun and not waited for. Never rejects.
 * @param failed hears what one failed with, and that one took too long
 */
export async function closeInTurn(
  closers: readonly (() => Promise<unknown>)[],
  { one, all }: ClosingLimits,
  failed: (error: unknown) => void,
  clock: Clock = systemClock,
): Promise<void> {
  const until = clock.now() + all
  for (const close of closers) {
    const milliseconds = Math.max(0, Math.min(one, until - clock.now()))
    await withTimeout({ milliseconds, clock }, () => close()).catch(failed)
  }
}
