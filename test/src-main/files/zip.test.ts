import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkZip, filesInOpenZip } from '#main/files/zip.ts'
import { BrokenArchive, HostileArchive } from '#main/files/zip-errors.ts'
import { temporaryFolder } from '#test/src-main/raw/downloads/helpers.ts'
import { hostileArchives, lying, renamed, zipOf } from './made-archives.ts'

const csv = 'TIMESTAMP,SOURCE\r\n2026-11-19T00:00:00Z,news\r\n'

function laid(zip: Buffer): string {
  const path = join(temporaryFolder(), 'Report.zip')
  writeFileSync(path, zip)
  return path
}
const checked = (zip: Buffer) => checkZip(laid(zip))

describe('an archive', () => {
  it.each([true, false])('is whole where every checksum is right (packed: %s)', async (compress) => {
    await expect(
      checked(await zipOf({ 'report.csv': csv, 'b/c.csv': csv }, { compress })),
    ).resolves.toBeUndefined()
  })

  it('is broken where one byte is another', async () => {
    const zip = await zipOf({ 'report.csv': csv }, { compress: false })
    await expect(checked(renamed(zip, 'news', 'nuws'))).rejects.toThrow(BrokenArchive)
  })

  it('is broken wherever it was cut', async () => {
    const zip = await zipOf({ 'report.csv': csv.repeat(50) })
    for (let length = 0; length < zip.length; length += 7) {
      await expect(checked(zip.subarray(0, length)), `at ${length}`).rejects.toThrow(BrokenArchive)
    }
  })

  it.each([
    ['is no archive', () => Promise.resolve(Buffer.from('<!doctype html><p>Sign in</p>'))],
    ['says a smaller size than it has', async () => lying(await zipOf({ 'report.csv': csv }), 3)],
    ['says a larger size than it has', async () => lying(await zipOf({ 'report.csv': csv }), 30_000)],
  ])('is broken where it %s', async (_, make) => {
    await expect(checked(await make())).rejects.toThrow(BrokenArchive)
  })

  it.each(hostileArchives)('is refused where it %s', async (_, words, make) => {
    const path = laid(await make())
    await expect(checkZip(path)).rejects.toThrow(HostileArchive)
    await expect(checkZip(path)).rejects.toThrow(words)
  })
})

/** How many files an archive of three has for whoever sets these limits. */
async function filesWithin(limits: { readonly files: number; readonly directory: number }): Promise<number> {
  const fd = openSync(laid(await zipOf({ 'one.csv': '1', 'two.csv': '2', 'three.csv': '3' })), 'r')
  onTestFinished(() => closeSync(fd))
  const files = filesInOpenZip(fd, limits)
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
