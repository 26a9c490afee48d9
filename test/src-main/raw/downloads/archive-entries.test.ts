import { closeSync, fstatSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { filesOfArchive, readHere } from '#main/raw/downloads/archive-entries.ts'
import { HostileArchive } from '#main/raw/downloads/trouble.ts'
import { temporaryFolder } from './helpers.ts'
import { zipOf } from './made-archives.ts'

/** How many files an archive of three has for whoever sets these limits. */
async function filesWithin(limits: { readonly files: number; readonly directory: number }): Promise<number> {
  const path = join(temporaryFolder(), 'three.zip')
  writeFileSync(path, await zipOf({ 'one.csv': '1', 'two.csv': '2', 'three.csv': '3' }))
  const fd = openSync(path, 'r')
  onTestFinished(() => closeSync(fd))
  const files = filesOfArchive({ fd, size: fstatSync(fd).size, read: readHere }, limits)
  let count = 0
  for await (const { name } of files) count += name.endsWith('.csv') ? 1 : 0
  return count
}

it('an archive with more files, or more said of them, than its reader takes is refused before any is read', async () => {
  expect(await filesWithin({ files: 3, directory: 1000 })).toBe(3)
  await expect(filesWithin({ files: 2, directory: 1000 })).rejects.toThrow(HostileArchive)
  // Their names alone are longer.
  await expect(filesWithin({ files: 3, directory: 20 })).rejects.toThrow(HostileArchive)
})
