import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cacheFile } from '#main/database/cache/cache-schema.ts'
import { runs } from '../helpers/long.ts'
import { takeOverTables } from './take-over-tables.ts'
import { isSound } from '#main/database/sqlite/open-file.ts'
import { stateFile } from '#main/database/state/schema.ts'
import { oldProfile } from '../src-main/database/old-profile.ts'
import { stateExpected, stateOf, tablesExpected, tablesIn } from '../src-main/database/taken-over.ts'
import { sessionFor, temporaryFolder } from '../src-main/database/helpers.ts'

const upgrade = (folder: string, last: number) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'upgrading-process.ts'), folder, String(last)], {
    encoding: 'utf8',
  })

it('a profile of version 0.1.0 is taken over whole, wherever the app was killed meanwhile', () => {
  const whole = temporaryFolder()
  const { stdout, stderr } = upgrade(oldProfile(whole), Infinity)
  const steps = Number(stdout)
  expect({ steps: steps > 100, stderr }).toEqual({ steps: true, stderr: '' })
  expect(tablesIn(whole)).toEqual(tablesExpected())
  const folder = temporaryFolder()
  const [early, kills] = [runs(4, 12), runs(8, 24)]
  for (let kill = 0; kill < kills; kill += 1) {
    for (const file of ['state', 'cache', 'desk', 'state.being-made'])
      for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `${file}.sqlite${end}`), { force: true })
    rmSync(join(folder, 'backups'), { recursive: true, force: true })
    oldProfile(folder)
    // Among the first steps, for there the files are made; then over all the rest.
    const later = (kill - early + 1) / (kills - early + 1)
    const at = kill < early ? kill * runs(6, 2) + 1 : Math.floor(steps * later)
    expect(upgrade(folder, at).signal).toBe('SIGKILL')
    const session = sessionFor(folder)
    expect({ at, opening: session.opening }).toEqual({ at, opening: { kind: 'ready', news: null } })
    expect(stateOf(session)).toEqual(stateExpected())
    takeOverTables(session)
    session.close()
    expect({ at, old: existsSync(join(folder, 'desk.sqlite')) }).toEqual({ at, old: false })
    expect(tablesIn(folder)).toEqual(tablesExpected())
    expect([stateFile, cacheFile].map((file) => isSound(file(folder)))).toEqual([true, true])
  }
}, 120_000)
