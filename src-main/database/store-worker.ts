import { workerData } from 'node:worker_threads'
import { serveRpc, portOfThread } from '#main/workers/rpc-server.ts'
import { isSound } from './sqlite/open-file.ts'
import { cacheFile } from './cache/cache-schema.ts'
import { stateFile } from './state/schema.ts'
import { backupThreadCalls } from './backup-thread.ts'
import { storeFiles } from './keep-files.ts'
import type { StoreTask } from './store-calls.ts'

type Port = NonNullable<ReturnType<typeof portOfThread>>

/** Looks through both files, for as long as that takes. */
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
    case 'back-up':
      return void serveRpc(port, backupThreadCalls(folder), port.close)
  }
}

const port = portOfThread()
// Only open-store.ts begins this thread.
if (port) start(port, workerData as StoreTask)
