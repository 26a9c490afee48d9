import { dieAt } from './die-at.ts'

/** The thread of archives in a process that may end at any of its steps. */
await dieAt(Number(process.env['DIE_IN_THREAD_AT'] ?? 0), (step, name) => {
  process.stdout.write(`thread ${step} ${name}\n`)
})
await import('#main/raw/downloads/archive-worker.ts')
