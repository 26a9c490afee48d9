import { stat } from 'node:fs'

/**
 * Division of Node's thread pool, which all threads of the process share for file system calls and DNS. A call into a
 * hanging folder occupies a thread indefinitely. Each use of the user's folders has a limit; the other threads remain
 * for DNS, the profile and files being written.
 */
export const nodeThreads = {
  /** Node's default is 4. An idle thread takes 15 kB, and starting it 0.04 ms. */
  all: 24,
  /** Calls into user folders (`SlowFolderGuard`). */
  looks: 10,
  /** Share of `looks` that lists may use, since lists visit many folders at once. */
  looksOfLists: 6,
  /** Syncing files before they get their final names. */
  syncs: 3,
  publishing: 3,
} as const

/**
 * Starts the thread pool. Must run before anything else uses the pool: Node reads the variable only on first use. Child
 * processes have the default pool size.
 */
export function beginNodeThreads(environment: Record<string, string | undefined>): void {
  environment['UV_THREADPOOL_SIZE'] = String(nodeThreads.all)
  // The executable itself, because any other folder might hang.
  stat(process.execPath, () => undefined)
  delete environment['UV_THREADPOOL_SIZE']
}
