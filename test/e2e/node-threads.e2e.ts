import { join } from 'node:path'
import { expect, it } from 'vitest'
import { nodeThreads } from '#main/lib/node-threads.ts'
import { startProcess } from './helpers/app.ts'
import { temporaryFolder } from './helpers/folders.ts'

it('has a thread for files and names while all others wait for folders that hang', async () => {
  const { said } = startProcess({
    profile: temporaryFolder('threads'),
    require: join(import.meta.dirname, 'helpers', 'hold-threads.cjs'),
    env: { THREADS_HELD: String(nodeThreads.all - 1) },
  })
  await expect.poll(said).toContain('Files and names answer')
})
