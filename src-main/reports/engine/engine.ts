import { DeskFailure } from '#shared/app/desk-failure.ts'
import { rpcClient } from '#main/workers/rpc-client.ts'
import type { RpcClient } from '#main/workers/rpc-client.ts'
import type { Line } from '#main/workers/rpc.ts'
import type { EngineCalls } from './calls.ts'

/** DuckDB, in a process of its own. It begins with the first call, and ends when nothing is asked for a while. */
export type Engine = RpcClient<EngineCalls>

export type EngineOptions = {
  /** Begins the process (engine-process.ts), or a thread. */
  readonly open: () => Line
  /** For how long nothing has to be asked before the process is ended, in milliseconds. */
  readonly idle?: number
  /** Hears that the process ended by itself, and of what. It begins again with the next call. */
  readonly onGone?: (cause: unknown) => void
}

/** Somebody who pages or sorts comes back within this; a process costs 250 ms to begin. */
const idleByDefault = 60_000

const gone = (cause: unknown) =>
  new DeskFailure(
    { kind: 'internal', message: 'The figures could not be computed. Please try again.' },
    { cause },
  )

const closed = () => new DeskFailure({ kind: 'cancelled', message: 'Traffic Desk is closing.' })

export const startEngine = ({ open, idle = idleByDefault, onGone }: EngineOptions): Engine =>
  rpcClient<EngineCalls>({ open, idle, gone, closed, ...(onGone && { onGone }) })
