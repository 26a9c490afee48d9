import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { deskOver } from './helpers.ts'

it('begins locked where the lock is on, and counts for the tray alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-locked-'))
  writeFileSync(join(folder, 'lock.json'), JSON.stringify({ after: 5, wrong: 0, at: 0 }))
  const desk = deskOver(folder)
  onTestFinished(async () => {
    await desk.close()
    rmSync(folder, { recursive: true })
  })
  expect(desk.lock.locked).toBe(true)
  // What goes on by itself goes on; the gateway is what refuses windows.
  await desk.handlers['settings/write']({ density: 'compact' })
  expect((await desk.handlers['settings/read'](undefined)).density).toBe('compact')
  expect((await desk.trayFacts()).lock).toBe('locked')
})
