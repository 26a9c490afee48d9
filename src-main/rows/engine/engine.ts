import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import { rpcClient } from '../../lib/rpc-client.ts'
import type { RpcClient } from '../../lib/rpc-client.ts'
import type { Line } from '../../lib/rpc.ts'
import type { RowsCalls, RowsEvent } from './calls.ts'

/** DuckDB for rows, in a process of its own. It begins with the first call, and ends when nothing is asked for a while. */
export type RowsEngine = RpcClient<RowsCalls>

/** Somebody who filters or turns pages comes back within this; a process costs 250 ms to begin. In milliseconds. */
const idle = 60_000

/** @param onGone hears that the process ended by itself, and of what; it begins again with the next call */
export const startRowsEngine = (
  open: () => Line,
  onEvent: (event: RowsEvent) => void,
  onGone?: (cause: unknown) => void,
): RowsEngine =>
  rpcClient<RowsCalls>({
    open,
    idle,
    gone: (cause) =>
      new DeskFailure(
        { kind: 'internal', message: 'The rows could not be read. Please try again.' },
        { cause },
      ),
    closed: () => new DeskFailure({ kind: 'cancelled', message: 'Traffic Desk is closing.' }),
    onEvent: (event) => onEvent(event as RowsEvent),
    ...(onGone && { onGone }),
  })
