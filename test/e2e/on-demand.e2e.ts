import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** Runs a script on this test's desktop to its end. @throws where it ends with another code than 0 */
async function run(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, script), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
  })
  return stdout
}

// What nobody runs for weeks breaks unseen: each has here as little to do as it takes.
describe('what is run by hand alone', () => {
  it('measures', async () => {
    expect(await run('test/bench/index.ts', ['explain'])).toContain('What explains a change')
  })

  it('takes pictures', async () => {
    expect(await run('test/screenshots/index.ts', ['connect-refused'])).toMatch(/^connect-refused, \d+ ms$/m)
  })

  it('soaks', async () => {
    const args = ['run', '--config', 'test/soak/vitest.config.ts', 'hours']
    expect(await run('node_modules/vitest/vitest.mjs', args, { SOAK_HOURS: '24' })).toContain('24 hours')
  })
})
