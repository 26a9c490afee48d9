import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { checkZip } from '#main/files/zip.ts'
import { BrokenArchive, HostileArchive } from '#main/files/zip-errors.ts'
import { unpackArchive } from '#main/raw/downloads/archive-tasks.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { flipped } from './mutate.ts'
import { surroundings } from './surroundings.ts'
import { zipOf } from '../src-main/files/made-archives.ts'

it('archives with turned bits are whole, broken or hostile, and put nothing anywhere else', async () => {
  const around = surroundings(['temporary'])
  const root = mkdtempSync(join(tmpdir(), 'traffic-desk-fuzz-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const folder = join(root, 'downloads')
  const path = join(root, 'archive.zip')
  mkdirSync(folder)
  const csv = Array.from({ length: 200 }, (_, row) => `2026-11-20,${row},Browser ${row % 7}`).join('\n')
  const sound = [
    await zipOf({ 'report.csv': csv }),
    await zipOf({ 'a.csv': csv, 'b/c.csv': csv, 'read me.txt': 'x' }, { zip64: true }),
    await zipOf({ 'plain.csv': csv }, { compress: false }),
  ]
  const random = randomFrom(seed)
  const ends = new Map<string, number>()
  const count = (end: string) => ends.set(end, (ends.get(end) ?? 0) + 1)
  for (let made = 0; made < runs(600, 10_000); made += 1) {
    writeFileSync(path, flipped(sound[made % sound.length] ?? Buffer.alloc(0), random))
    const known = (error: unknown) => {
      const isOurs = [BrokenArchive, HostileArchive, DeskFailure].some((each) => error instanceof each)
      if (!isOurs) throw new Error(`Archive ${made} of seed ${seed} broke it`, { cause: error })
      return error instanceof Error ? error.constructor.name : ''
    }
    count(await checkZip(path).then(() => 'whole', known))
    await unpackArchive({ kind: 'unpack', path, folder, stem: 'Report', mark: '.traffic-desk-x-' }).catch(
      known,
    )
    expect(readdirSync(root).sort()).toEqual(['archive.zip', 'downloads'])
    const names = readdirSync(folder)
    expect(names.filter((name) => !/^Report[^/]*\.csv$/.test(name))).toEqual([])
    for (const name of names) rmSync(join(folder, name))
  }
  expect([...ends.keys()]).toEqual(expect.arrayContaining(['whole', 'BrokenArchive', 'HostileArchive']))
  around.check([])
}, 900_000)
