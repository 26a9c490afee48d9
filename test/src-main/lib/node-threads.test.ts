import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { nodeThreads } from '#main/lib/node-threads.ts'

const source = join(import.meta.dirname, '../../../src-main/lib/node-threads.ts')

it('leaves threads for names and files when every share is taken', () => {
  const { all, looks, looksOfLists, syncs, publishing } = nodeThreads
  expect(looks + syncs + publishing).toBeLessThanOrEqual(all - 8)
  expect(looksOfLists).toBeLessThan(looks)
})

it.runIf(process.platform === 'linux')(
  'begins them at once, and passes nothing on to other processes',
  () => {
    const script = `
    import { readdirSync } from 'node:fs'
    import { beginNodeThreads } from ${JSON.stringify(source)}
    const threads = () => readdirSync('/proc/self/task').length
    const before = threads()
    beginNodeThreads(process.env)
    console.log(threads() - before, process.env.UV_THREADPOOL_SIZE)`
    const env = { ...process.env, UV_THREADPOOL_SIZE: '4' }
    const given = { encoding: 'utf8', input: script, env } as const
    expect(execFileSync(process.execPath, ['--input-type=module'], given)).toBe(
      `${nodeThreads.all} undefined\n`,
    )
  },
)
