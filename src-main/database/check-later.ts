import { DeskFailure } from '#shared/app/desk-failure.ts'
import { rpcClient, threadLine } from '#main/workers/rpc-client.ts'
import type { CheckCalls, StoreTask } from './store-calls.ts'
import type { Damaged } from './store-session.ts'

type CheckOptions = {
  readonly folder: string
  readonly worker: string | URL
  /** How long after the call the check begins, in milliseconds. */
  readonly after: number
  readonly onDamaged: (damaged: Damaged) => void
}

/**
 * Looks through both files once, later and in a thread of its own: neither the first answer nor any later one waits for it.
 * @returns gives the check up
 */
export function checkLater({ folder, worker, after, onDamaged }: CheckOptions): () => void {
  const workerData: StoreTask = { task: 'check', folder }
  let line: ReturnType<typeof threadLine> | undefined
  const given = () => new DeskFailure({ kind: 'cancelled', message: 'Cancelled.' })
  const client = rpcClient<CheckCalls>({
    open: () =>
      (line = { ...threadLine(worker, { workerData, name: 'store-check' }), hold: () => undefined }),
    gone: given,
    closed: given,
  })
  const timer = setTimeout(() => {
    client
      .call('store/check', undefined)
      .then((damaged) => {
        if (damaged.state || damaged.cache) onDamaged(damaged)
        return client.close()
      })
      // A check that fails to run says nothing about the files.
      .catch(() => undefined)
  }, after)
  timer.unref()
  return () => {
    clearTimeout(timer)
    line?.kill()
  }
}
