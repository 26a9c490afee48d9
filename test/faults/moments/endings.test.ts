import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { powered } from './endings.ts'

const place = powered()

it.skipIf(place === null)('a disk whose power is cut keeps what was synced, and loses what was not', () => {
  const { folder, lose } = place?.() ?? expect.fail()
  const [synced, named, forgotten] = [
    join(folder, 'synced'),
    join(folder, 'named'),
    join(folder, 'forgotten'),
  ]
  const file = openSync(synced, 'w')
  writeFileSync(file, 'all of it')
  fsyncSync(file)
  closeSync(file)
  writeFileSync(named, 'all of it')
  syncFolder(folder)
  writeFileSync(forgotten, 'all of it')
  lose()
  expect(readFileSync(synced, 'utf8')).toBe('all of it')
  // Its name came with its folder, without what is in it.
  expect(readFileSync(named, 'utf8')).toBe('')
  expect(existsSync(forgotten)).toBe(false)
})
