import { stat } from 'node:fs'

/**
 * Node reaches files and looks up names with a few threads, the same ones for the whole process and every thread in it. A call
 * into a folder that hangs holds one for as long as the system likes. So whoever reaches folders of a person's has a share,
 * which is not exceeded, and what the shares leave is for everything else: names, the profile, what is being written.
 */
export const nodeThreads = {
  /** Node has four unless it is told otherwise. One that has nothing to do takes 15 kB, and 0.04 ms of the start. */
  all: 24,
  /** For looks at folders (`SlowFolderGuard`). */
  looks: 10,
  /** As many of these at most for lists, which look at many folders at once. */
  looksOfLists: 6,
  /** For files that are synced before they get their names. */
  syncs: 3,
  /** For publishing history. */
  publishing: 3,
} as const

/**
 * Begins the threads. It has to happen before anything else uses them: Node asks the environment with the first use, and never
 * again. Processes that begin later have the usual four.
 */
export function beginNodeThreads(environment: Record<string, string | undefined>): void {
  environment['UV_THREADPOOL_SIZE'] = String(nodeThreads.all)
  // The program itself: a folder might hang.
  stat(process.execPath, () => undefined)
  delete environment['UV_THREADPOOL_SIZE']
}
