import type { BackupFacts } from '#shared/app/storage.ts'
import { portOfThread, serveRpc } from '#main/workers/rpc-server.ts'
import { packBackup } from './pack.ts'
import type { Packing } from './pack.ts'
import { unpackBackup } from './unpack.ts'
import type { Unpacking } from './unpack.ts'

/** What takes as long as saved figures are large, and meets disks that do not answer: it is done in a thread of its own. */
export type BackupCalls = {
  /** Tells a `JobProgress` as it goes on. @returns how many files of figures were left out */
  readonly 'backup/pack': (packing: Packing) => Promise<number>
  readonly 'backup/unpack': (unpacking: Unpacking) => Promise<BackupFacts>
}

const port = portOfThread()
// Only backups.ts begins this thread.
if (port) {
  const calls: BackupCalls = {
    'backup/pack': (packing) => packBackup(packing, (progress) => main.notify(progress)),
    'backup/unpack': unpackBackup,
  }
  const main = serveRpc(port, calls, port.close)
}
