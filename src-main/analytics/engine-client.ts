import * as v from 'valibot'
import { deskFailure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { branded } from '#shared/values/schemas.ts'
import type { AppEvents, WorkerName } from '#main/lib/app-events.ts'
import { rpcClient } from '#main/workers/rpc-client.ts'
import type { RpcClient } from '#main/workers/rpc-client.ts'
import type { Calls, Channel } from '#main/workers/rpc.ts'

/** DuckDB in a process of its own, which starts with the first call and ends when it is idle. */
export type EngineClient<C extends Calls<C>> = RpcClient<C>

const amount = v.pipe(v.number(), v.finite(), v.minValue(0))

/** All events of an engine. The engine reads untrusted files, so any other event is dropped. */
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
  /** Starts the process (engine-process.ts), or a thread. */
  readonly open: () => Channel
  /** Receives events of the process, and `worker/ended` after a crash. The next call restarts the process. */
  readonly events?: AppEvents
  /** Idle time in ms after which the process ends. */
  readonly idle?: number
}

/** A user who pages or sorts returns within this time (ms). Starting a process takes 250 ms. */
const idleByDefault = 60_000

/** Creates the client of an engine. @param message message of calls that fail because the process crashed */
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
