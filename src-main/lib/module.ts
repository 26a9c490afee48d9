import type { CallArgument, CallName, CallResult } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { systemClock, withTimeout } from './async.ts'
import type { Clock } from './async.ts'

/** Handlers of all calls: exactly one for each name in `calls`. A missing or an unknown name is a type error. */
export type Handlers = {
  readonly [N in CallName]: (argument: CallArgument<N>) => CallResult<N> | Promise<CallResult<N>>
}

/** Handler of one call; always asynchronous. */
export type Handler<N extends CallName> = (argument: CallArgument<N>) => Promise<CallResult<N>>

/** A feature of the main process. `app/app.ts` lists all modules. */
export interface Module {
  /** Name in the log. */
  readonly name: string
  readonly handlers?: Partial<Handlers>
  /** Starts background work. Called after the first view has loaded. */
  start?(): unknown
  /** Pauses or resumes background work at the user's request. */
  pause?(paused: boolean): void
  /**
   * Retries waiting work at once.
   * @param account the account whose service is reachable again; absent after the computer woke up or came online
   */
  wake?(account?: AccountId): void
  /** Ends running work and removes listeners. The store is still open. */
  stop(): Promise<void>
}

/** Timeouts in milliseconds: for each closer, and for all together. */
type ClosingLimits = { readonly one: number; readonly all: number }

/**
 * Runs the closers one at a time. A closer that fails or hangs does not prevent the next. Once the total time is used
 * up, the remaining closers are called but not awaited. Never rejects.
 * @param failed called with each error, including timeouts
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
