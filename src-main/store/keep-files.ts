import { serveRpc } from '../lib/rpc-server.ts'
import type { ServerPort } from '../lib/rpc-server.ts'
import { openSession } from './store-session.ts'
import type { StoreEvent } from './store-calls.ts'

/** By then the first view stands, and what it asked for has been answered. */
const keepHouseAfter = 10_000
const keepHouseEvery = 3_600_000

/** Opens both files and answers one operation after the other, in the order in which they were asked. */
export function keepFiles(port: ServerPort & { readonly close: () => void }, folder: string): void {
  const session = openSession({
    folder,
    onState: (news) => tell({ kind: 'state', news }),
    onCache: (news) => tell({ kind: 'cache', news }),
  })
  const timers = [
    setTimeout(session.keepHouse, keepHouseAfter).unref(),
    setInterval(session.keepHouse, keepHouseEvery).unref(),
  ]
  const send = serveRpc(
    port,
    { ...session.calls, 'store/begin': () => null, 'store/replace': session.replace },
    () => {
      timers.forEach(clearTimeout)
      session.close()
      port.close()
    },
  )
  const tell = (event: StoreEvent) => send(event)
  tell({ kind: 'opened', opening: session.opening })
}
