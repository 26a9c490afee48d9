import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'

export const checkout = resolve(import.meta.dirname, '../../..')

/** A folder of its own for whoever asks; it goes with the test, after what was started in it. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `traffic-desk-e2e-${name}-`))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}
