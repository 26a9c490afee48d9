import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { ArchiveLocator } from '#main/archives/source-files.ts'
import { newFolder } from './open-rows.ts'

it('tells of a folder that answers late once, and takes its word until it says otherwise', async () => {
  const folder = newFolder()
  const path = join(folder, 'late.zip')
  writeFileSync(path, 'x')
  let answer = () => {}
  class Late extends SlowFolderGuard {
    override async run<T>(_folder: string, look: () => Promise<T>): Promise<T> {
      await new Promise<void>((resolve) => (answer = resolve))
      return await look()
    }
  }
  const archiveLocator = new ArchiveLocator(new Late(), 10)
  const told: string[] = []
  const late = async () => {
    const received = new Promise<void>((resolve) => {
      const changed = () => {
        told.push(archiveLocator.stateOf(path))
        resolve()
      }
      void archiveLocator.findAll([path], changed).then((found) => {
        expect(found.size).toBe(0)
        answer()
      })
    })
    await received
  }
  expect(archiveLocator.stateOf(path)).toBe('away')
  await late()
  expect(told).toEqual(['there'])
  // Late again with the same word: nobody is told, or windows would ask for ever.
  await archiveLocator.findAll([path], () => told.push('again'))
  answer()
  const found = archiveLocator.lookAt(path)
  answer()
  expect(await found).toMatchObject({ size: 1 })
  expect(told).toEqual(['there'])
})
