import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const script = resolve(import.meta.dirname, '../../scripts/modules-entered.mjs')

it('counts the modules that a report query enters', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  const counted = Number(
    /Modules that a cold query enters in the main process: (\d+),/.exec(stdout)?.[1] ?? Number.NaN,
  )
  // The client of the service, what reads its answers, and the store are always among them.
  expect(counted).toBeGreaterThan(10)
  expect(stdout).toContain('src-main/api/client.ts')
  expect(stdout).toMatch(/src-main without the sandbox: [\d,]+ lines in \d+ files/)
}, 60_000)
