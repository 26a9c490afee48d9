import type { BackupFacts } from '#shared/app/storage.ts'
import { runInThread } from '#main/workers/process-thread.ts'
import { portOfThread, serveRpc } from '#main/workers/rpc-server.ts'
import { packBackup } from './pack.ts'
import type { Packing } from './pack.ts'
import { unpackBackup } from './unpack.ts'
import type { Unpacking } from './unpack.ts'

/** Calls of the backup process. They take long with many figures, and may wait for a disk that hangs. */
export type BackupCalls = {
  /** Emits `JobProgress`. @returns the number of files of figures that were left out */
  readonly 'backup/pack': (packing: Packing) => Promise<number>
  readonly 'backup/unpack': (unpacking: Unpacking) => Promise<BackupFacts>
}

// Started by backups.ts, as a process that runs this script again in a thread.
const port = portOfThread()
if (port) {
  const calls: BackupCalls = {
    'backup/pack': (packing) => packBackup(packing, (progress) => main.notify(progress)),
    'backup/unpack': unpackBackup,
  }
  const main = serveRpc(port, calls, port.close)
} else runInThread({ name: 'backup' })
