import { workerData } from 'node:worker_threads'
import { serveRpc, portOfThread } from '../lib/rpc-server.ts'
import { isSound } from '../lib/sqlite/open-file.ts'
import { cacheFile } from '../figures/cache/cache-schema.ts'
import { stateFile } from '../state/schema.ts'
import { openSession } from './store-session.ts'
import type { StoreEvent, StoreTask } from './store-calls.ts'

type Port = NonNullable<ReturnType<typeof portOfThread>>

/** By then the first view stands, and what it asked for has been answered. */
const keepHouseAfter = 10_000
const keepHouseEvery = 3_600_000

/** Answers the main thread, one operation after the other, in the order in which they were asked. */
function keep(port: Port, folder: string): void {
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

/** Looks through both files, for as long as that takes. */
function check(port: Port, folder: string): void {
  const damagedFiles = () => ({ state: !isSound(stateFile(folder)), cache: !isSound(cacheFile(folder)) })
  serveRpc(port, { 'store/check': damagedFiles }, port.close)
}

function start(port: Port, { task, folder }: StoreTask): void {
  switch (task) {
    case 'keep':
      return keep(port, folder)
    case 'check':
      return check(port, folder)
  }
}

const port = portOfThread()
// Only open-store.ts begins this thread.
if (port) start(port, workerData as StoreTask)
