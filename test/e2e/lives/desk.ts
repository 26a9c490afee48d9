import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { debuggingAddress, joinWindow } from '#test/helpers/join-window.ts'
import { startProcess } from '../helpers/app.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { connect, openView } from '../helpers/window.ts'
import { storedAt, toldIn } from './kept.ts'
import { serviceOf } from './service.ts'
import { pollOptions } from '../helpers/poll-options.ts'

/**
 * A service, and a desk that has an account there and has kept its list once; it is closed, and can be started again
 * and again.
 */
export async function usedDesk() {
  const downloads = join(temporaryFolder('lives-downloads'), 'Downloads')
  const config = temporaryFolder('lives-config')
  mkdirSync(downloads)
  writeFileSync(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${downloads}"\n`)
  const env = { XDG_CONFIG_HOME: config }
  const profile = temporaryFolder('lives')
  const sandbox = await startSandbox()
  await sandbox.control('POST', '/behaviour', { raw: { concurrency: 1000, minutes: 100_000 } })
  const service = serviceOf(sandbox)

  const first = startProcess({ profile, env })
  const page = await joinWindow(await debuggingAddress(first.child))
  await connect(page, { name: 'Northwind', address: sandbox.address, token: sandbox.tokens.admin })
  await openView(page, 'Raw reports')
  await page.getByRole('table', { name: 'Raw reports' }).getByRole('row').nth(1).waitFor()
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(0)

  /** Starts it as the system does at login, or with its window. @param dieAt when it kills itself: die-at.cjs */
  const start = (dieAt?: string, { window } = { window: false }) => {
    const hook = { require: join(import.meta.dirname, 'die-at.cjs') }
    const running = startProcess({
      ...{ profile, args: window ? [] : ['--hidden'] },
      ...(dieAt === undefined ? { env } : { ...hook, env: { ...env, DIE_AT: dieAt } }),
    })
    /** Ends it as `kill -9` does, wherever it is. */
    const kill = async () => {
      running.child.kill('SIGKILL')
      await running.ended
    }
    const page = async () => joinWindow(await debuggingAddress(running.child))
    return { ...running, kill, page }
  }

  /** Starts it, waits until it has kept a new list and shown all that there is, and ends it properly. */
  const live = async () => {
    const before = storedAt(profile)
    const running = start()
    await expect.poll(() => storedAt(profile), pollOptions).toBeGreaterThan(before)
    await expect
      .poll(() => toldIn(profile).filter(({ shown_at }) => shown_at === null), pollOptions)
      .toEqual([])
    running.child.kill('SIGTERM')
    expect(await running.ended, running.said()).toBe(0)
  }

  return { profile, sandbox, service, start, live }
}
