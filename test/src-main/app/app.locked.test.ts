import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { appOver } from './helpers.ts'

it('begins locked where the lock is on, and counts for the tray alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-app-locked-'))
  writeFileSync(join(folder, 'lock.json'), JSON.stringify({ after: 5, wrong: 0, at: 0 }))
  const app = appOver(folder)
  onTestFinished(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })
  expect(app.lock.locked).toBe(true)
  // What goes on by itself goes on; the gateway is what refuses windows.
  await app.handlers['settings/write']({ density: 'compact' })
  expect((await app.handlers['settings/read'](undefined)).density).toBe('compact')
  expect((await app.trayFacts()).lock).toBe('locked')
})
