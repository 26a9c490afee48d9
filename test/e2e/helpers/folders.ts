import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const checkout = resolve(import.meta.dirname, '../../..')

/** A folder of its own for whoever asks, gone when the tests end. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `traffic-desk-e2e-${name}-`))
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}
