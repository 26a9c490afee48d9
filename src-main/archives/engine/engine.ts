import { DeskFailure } from '#shared/api/failure.ts'
import { rpcClient } from '#main/workers/rpc-client.ts'
import type { RpcClient } from '#main/workers/rpc-client.ts'
import type { Line } from '#main/workers/rpc.ts'
import type { RowsCalls, RowsEvent } from './calls.ts'

/** DuckDB for rows, in a process of its own. It begins with the first call, and ends when nothing is asked for a while. */
export type RowsEngine = RpcClient<RowsCalls> & {
  /** Ends the process, whatever it waits for: what it was called for fails, and the next call begins another one. */
  readonly kill: () => void
}

/** Somebody who filters or turns pages comes back within this; a process costs 250 ms to begin. In milliseconds. */
const idle = 60_000

/** @param onGone hears that the process ended by itself, and of what; it begins again with the next call */
export function startRowsEngine(
  open: () => Line,
  onEvent: (event: RowsEvent) => void,
  onGone?: (cause: unknown) => void,
): RowsEngine {
  let last: Line | null = null
  let isKilled = false
  const client = rpcClient<RowsCalls>({
    open: () => (last = endable(open())),
    idle,
    gone: (cause) =>
      new DeskFailure(
        { kind: 'internal', message: 'The rows could not be read. Please try again.' },
        { cause },
      ),
    closed: () => new DeskFailure({ kind: 'cancelled', message: 'Traffic Desk is closing.' }),
    onEvent: (event) => onEvent(event as RowsEvent),
    onGone: (cause) => {
      if (!isKilled) onGone?.(cause)
    },
  })
  return {
    ...client,
    kill: () => {
      isKilled = true
      last?.kill()
      isKilled = false
    },
  }
}

/** A line that is over once it is killed: what waits for a disk that does not answer may go no sooner than that answers. */
function endable(line: Line): Line {
  const listeners: ((error: unknown) => void)[] = []
  let isOver = false
  const end = (error: unknown) => {
    if (isOver) return
    isOver = true
    for (const listener of listeners) listener(error)
  }
  line.onEnd(end)
  return {
    ...line,
    onMessage: (listener) => line.onMessage((message) => isOver || listener(message)),
    onEnd: (listener) => void listeners.push(listener),
    kill: () => {
      line.kill()
      end(new Error('It was ended'))
    },
  }
}
