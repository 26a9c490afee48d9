import * as v from 'valibot'
import { deskFailure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { branded } from '#shared/values/schemas.ts'
import type { AppEvents, WorkerName } from '#main/lib/app-events.ts'
import { rpcClient } from '#main/workers/rpc-client.ts'
import type { RpcClient } from '#main/workers/rpc-client.ts'
import type { Calls, Line } from '#main/workers/rpc.ts'

/** DuckDB, in a process of its own. It begins with the first call, and ends when nothing is asked for a while. */
export type EngineClient<C extends Calls<C>> = RpcClient<C>

const amount = v.pipe(v.number(), v.finite(), v.minValue(0))

/** All that an engine may emit: it reads files from outside, so whatever else it says is dropped. */
const engineEvent = v.variant('kind', [
  v.object({
    kind: v.literal('rows/import-progress'),
    reading: v.string(),
    done: amount,
    total: v.nullable(amount),
  }),
  v.object({
    kind: v.literal('reports/progress'),
    account: branded<AccountId>(),
    key: v.string(),
    done: amount,
    total: amount,
    unit: v.literal('rows'),
  }),
])

export type EngineEvent = v.InferOutput<typeof engineEvent>

export type EngineOptions = {
  /** Begins the process (engine-process.ts), or a thread. */
  readonly open: () => Line
  /** Where the process emits, and where it is told that it ended by itself, and of what. It begins again with the next call. */
  readonly events?: AppEvents
  /** For how long nothing has to be asked before the process is ended, in milliseconds. */
  readonly idle?: number
}

/** Somebody who pages or sorts comes back within this; a process costs 250 ms to begin. */
const idleByDefault = 60_000

/** @param message what calls fail with whose process ended by itself */
export const engineClient = <C extends Calls<C>>(
  worker: WorkerName,
  message: string,
  { open, events, idle = idleByDefault }: EngineOptions,
): EngineClient<C> =>
  rpcClient<C>({
    open,
    idle,
    gone: (cause) => deskFailure('internal', message, { cause }),
    closed: () => deskFailure('cancelled', 'Traffic Desk is closing.'),
    onGone: (cause) => events?.emit({ kind: 'worker/ended', worker, cause }),
    onEvent: (event) => {
      const read = v.safeParse(engineEvent, event)
      if (read.success) events?.emit(read.output)
    },
  })
