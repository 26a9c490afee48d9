import { workerData } from 'node:worker_threads'
import { serveRpc, portOfThread } from '#main/workers/rpc-server.ts'
import type { ServerPort } from '#main/workers/rpc-server.ts'
import { cacheFile } from './cache/cache-schema.ts'
import { isSound } from './sqlite/open-file.ts'
import { stateFile } from './state/schema.ts'
import { openSession } from './store-session.ts'
import type { StoreSession, StoreThreadCalls, StoreEvent, StoreTask } from './store-session.ts'

/** Delay of the first maintenance, in ms. By then the first view has its data. */
const maintainAfter = 10_000
const maintainEvery = 3_600_000

/** Runs operations in order. The files are opened with the first operation, so that a previous owner can close them before. */
export function storeFiles(port: ServerPort & { readonly close: () => void }, folder: string): void {
  let session: StoreSession | undefined
  let timers: NodeJS.Timeout[] = []
  const open = (): StoreThreadCalls => {
    const opened = openSession(folder, (event) => emit(event))
    session = opened
    timers = [
      setTimeout(opened.maintain, maintainAfter).unref(),
      setInterval(opened.maintain, maintainEvery).unref(),
    ]
    emit({ kind: 'opened', opening: opened.opening })
    return { ...opened.calls, 'store/begin': () => null, 'store/replace': opened.replace }
  }
  const main = serveRpc<StoreThreadCalls>(port, open, () => {
    timers.forEach(clearTimeout)
    session?.close()
    port.close()
  })
  const emit = (event: StoreEvent) => main.notify(event)
  emit({ kind: 'ready' })
}

type Port = NonNullable<ReturnType<typeof portOfThread>>

/** Checks both files for damage. */
function check(port: Port, folder: string): void {
  const damagedFiles = () => ({ state: !isSound(stateFile(folder)), cache: !isSound(cacheFile(folder)) })
  serveRpc(port, { 'store/check': damagedFiles }, port.close)
}

function start(port: Port, { task, folder }: StoreTask): void {
  switch (task) {
    case 'keep':
      return storeFiles(port, folder)
    case 'check':
      return check(port, folder)
  }
}

const port = portOfThread()
// Only open-store.ts starts this thread.
if (port) start(port, workerData as StoreTask)
