import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { removeDraft } from '#main/updates/package-file.ts'
import { runs } from '../helpers/long.ts'
import { temporaryFolder } from '../src-main/database/helpers.ts'
import { appImageOf } from './replacements.ts'

const [old, newer] = [appImageOf('o'), appImageOf('n')]

it('an AppImage is whole, the old one or the new one, wherever the app was killed while it replaced it', async () => {
  const folder = temporaryFolder()
  const apps = join(folder, 'apps')
  const running = join(apps, 'app.AppImage')
  mkdirSync(apps)
  writeFileSync(join(folder, 'new'), newer)
  const replace = (last: number) => {
    writeFileSync(running, old)
    return spawnSync(
      process.execPath,
      [join(import.meta.dirname, 'replacing-process.ts'), folder, String(last)],
      { encoding: 'utf8' },
    )
  }
  const { stdout, stderr } = replace(Infinity)
  const steps = Number(stdout)
  expect({ many: steps > 15, stderr }).toEqual({ many: true, stderr: '' })
  const found = { old: 0, newer: 0, halfWritten: 0 }
  const kills = runs(6, steps)
  for (let kill = 1; kill <= kills; kill += 1) {
    expect(replace(Math.round((kill * steps) / kills)).signal).toBe('SIGKILL')
    const lies = readFileSync(running)
    if (readdirSync(apps).length > 1) found.halfWritten += 1
    if (lies.equals(old)) found.old += 1
    if (lies.equals(newer)) found.newer += 1
    await removeDraft(running)
    expect(readdirSync(apps)).toEqual(['app.AppImage'])
  }
  expect(found.old + found.newer).toBe(kills)
  expect(Math.min(found.old, found.newer, found.halfWritten)).toBeGreaterThan(0)
}, 120_000)
