import { serveRpc } from '#main/workers/rpc-server.ts'
import type { ServerPort } from '#main/workers/rpc-server.ts'
import { openSession } from './store-session.ts'
import type { StoreSession } from './store-session.ts'
import type { KeepCalls, StoreEvent } from './store-calls.ts'

/** By then the first view stands, and what it asked for has been answered. */
const keepHouseAfter = 10_000
const keepHouseEvery = 3_600_000

/**
 * Answers one operation after the other, in the order in which they were asked. Both files are opened with the first: until
 * then whoever had them open before may finish.
 */
export function storeFiles(port: ServerPort & { readonly close: () => void }, folder: string): void {
  let session: StoreSession | undefined
  let timers: NodeJS.Timeout[] = []
  const open = (): KeepCalls => {
    const opened = openSession({
      folder,
      onState: (news) => emit({ kind: 'state', news }),
      onCache: (news) => emit({ kind: 'cache', news }),
    })
    session = opened
    timers = [
      setTimeout(opened.keepHouse, keepHouseAfter).unref(),
      setInterval(opened.keepHouse, keepHouseEvery).unref(),
    ]
    emit({ kind: 'opened', opening: opened.opening })
    return { ...opened.calls, 'store/begin': () => null, 'store/replace': opened.replace }
  }
  const main = serveRpc<KeepCalls>(port, open, () => {
    timers.forEach(clearTimeout)
    session?.close()
    port.close()
  })
  const emit = (event: StoreEvent) => main.notify(event)
  emit({ kind: 'ready' })
}
