import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importedFile } from '../../scripts/common/aliases.mjs'

const checkout = join(import.meta.dirname, '..', '..')
/** Imports that a program runs; those of types alone are none. */
const imports = /^(?:import|export)\s+(?!type\s)(?:[^'"]*?\sfrom\s+)?'([^']+)'|import\('([^']+)'\)/gm

/** What a script and all that it imports, at once or later, come to: files of ours and packages. */
function reachableFrom(script: string): ReadonlySet<string> {
  const found = new Set([script])
  for (const file of found) {
    if (!file.endsWith('.ts')) continue
    for (const [, early, late] of readFileSync(join(checkout, file), 'utf8').matchAll(imports)) {
      const specifier = early ?? late ?? ''
      found.add(importedFile(file, specifier) ?? specifier)
    }
  }
  return found
}

describe('ZIPs, which are anybody’s', () => {
  it.each([
    'src-main/index.ts',
    'src-main/database/store-worker.ts',
    'src-main/api/large/answer-worker.ts',
    'src-main/exports/export-worker.ts',
    'src-main/sandbox/worker.ts',
  ])('are read by nothing in the main process: %s', (script) => {
    const reached = [...reachableFrom(script)]
    expect(reached.filter((file) => ['yauzl', 'src-main/files/zip.ts'].includes(file))).toEqual([])
    expect(reached.length).toBeGreaterThan(10)
  })

  it.each([
    'src-main/raw/downloads/archive-worker.ts',
    'src-main/backup/backup-worker.ts',
    'src-main/engine-process.ts',
  ])('are read by one reader in processes of their own: %s', (script) => {
    const reached = reachableFrom(script)
    expect(reached).toContain('src-main/files/zip.ts')
    expect(reached).toContain('yauzl')
  })

  it.each(['archive-worker', 'backup-worker', 'engine-process'])('%s begins as a process', (script) => {
    const index = readFileSync(join(checkout, 'src-main/index.ts'), 'utf8')
    expect(index).toMatch(new RegExp(`processChannel\\('${script}\\.cjs'`))
    expect(index).not.toContain(`builtScript('${script}')`)
  })
})
