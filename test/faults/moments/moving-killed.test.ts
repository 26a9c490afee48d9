import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { HistoryPath } from '#main/analytics/history-layout.ts'
import { historyFolder } from '#main/analytics/history-layout.ts'
import { chosenFigures } from '#main/database/restored-figures.ts'
import { backupEnding } from '#shared/app/storage.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { backUp, filesIn, putFigures } from '#test/src-main/backup/made-backups.ts'
import { account, firstId, secondId, sessionFor, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { endings } from './endings.ts'
import { killAtMoments } from './killing.ts'
import { openBackups } from './moving.ts'
import type { MovingOrders } from './moving.ts'

const months = ['2026-04', '2026-05', '2026-06', '2026-10']

/** A profile of one account with figures, closed. */
function profileOf(id: typeof firstId, name: string) {
  const folder = temporaryFolder()
  const session = sessionFor(folder)
  session.run('accounts/put', account({ id, name }))
  const paths = months.map((month) => {
    const path: HistoryPath = putFigures(folder, `${name} ${month} `.repeat(20_000), id, { month })
    session.run('tables/keep', {
      file: { path, size: 1, checksum: '00000000', tables: 1 },
      tables: [],
      term: 0,
    })
    return path
  })
  session.close()
  return { folder, name, paths, figures: filesIn(historyFolder(folder)) }
}

/** What lies in a folder now outlives a power cut. */
function settle(folder: string): void {
  if (process.platform === 'linux') execFileSync('sync', ['--file-system', folder])
}

describe.each(endings(4, 100))('$ending at $moments random moments', ({ ending, moments, place }) => {
  it(
    'of backing up, what has a backup’s name holds the state and all figures',
    async () => {
      const { folder: disk, lose } = place()
      const { folder: from, figures } = profileOf(firstId, 'Moved')
      const [folder, downloads] = [join(disk, 'profile'), join(disk, 'downloads')]
      cpSync(from, folder, { recursive: true })
      mkdirSync(downloads)
      settle(disk)
      const ends = { whole: 0, halfWritten: 0 }
      const hits = await killAtMoments<MovingOrders>({
        ...{ worker: 'moving-work.ts', moments, random: randomFrom(seed) },
        ordersOf: () => ({ what: 'back up', folder, downloads, files: [], from: 0 }),
        check: async ({ stored, refused }) => {
          lose()
          expect(refused).toEqual([])
          const names = readdirSync(downloads)
          const made = names.filter((name) => name.endsWith(backupEnding))
          // The process that said so has their type.
          for (const { file, leftOut } of stored.map(
            (text) => JSON.parse(text) as { file: string; leftOut: number },
          )) {
            expect(made).toContain(file)
            expect(leftOut).toBe(0)
          }
          for (const name of made) {
            const elsewhere = temporaryFolder()
            const { backups, close } = openBackups(elsewhere)
            expect(await backups.choose(join(downloads, name))).toMatchObject({
              accounts: ['Moved'],
              figures: { files: months.length },
            })
            expect(filesIn(chosenFigures(elsewhere))).toEqual(figures)
            await close()
          }
          ends.whole += made.length
          if (names.length > made.length) ends.halfWritten += 1
          const session = sessionFor(folder)
          expect(session.opening).toEqual({ kind: 'ready', news: null })
          expect(session.run('accounts/list', undefined)).toMatchObject([{ name: 'Moved' }])
          session.close()
          expect(filesIn(historyFolder(folder))).toEqual(figures)
          for (const name of names) rmSync(join(downloads, name))
        },
      })
      console.log(`backing up, ${ending}: PROPERTY_SEED=${seed}`, hits, ends)
      if (ending === 'killed') expect(Math.min(ends.whole, ends.halfWritten)).toBeGreaterThan(0)
    },
    runs(120_000, 2_700_000),
  )

  it(
    'of restoring, the profile is the one before or the restored one, with all of its figures',
    async () => {
      const { folder: disk, lose } = place()
      const profiles = [profileOf(firstId, 'One'), profileOf(secondId, 'Other')] as const
      const files = await Promise.all(
        profiles.map(async ({ folder: from }) => {
          const file = join(temporaryFolder(), 'made.zip')
          const session = sessionFor(from)
          await backUp(session, from, file)
          session.close()
          return file
        }),
      )
      const folder = join(disk, 'profile')
      cpSync(profiles[1].folder, folder, { recursive: true })
      settle(disk)
      // The profile is the second, as if that had been restored just now.
      let last = 1
      let between = 0
      const hits = await killAtMoments<MovingOrders>({
        ...{ worker: 'moving-work.ts', moments, random: randomFrom(seed) },
        ordersOf: () => ({ what: 'restore', folder, downloads: disk, files, from: last + 1 }),
        check: ({ stored, refused }) => {
          lose()
          expect(refused).toEqual([])
          last = Math.max(last, ...stored.map(Number))
          const after = sessionFor(folder)
          expect(after.opening).toMatchObject({ kind: 'ready' })
          const [{ name } = { name: '' }, ...others] = after.run('accounts/list', undefined)
          expect(others).toEqual([])
          // The last that the person agreed to, or the next, of which the kill kept anybody from saying so.
          if (name !== profiles[last % 2]?.name) {
            last += 1
            between += 1
          }
          const is = profiles[last % 2] ?? expect.fail()
          expect(name).toBe(is.name)
          const there = filesIn(historyFolder(folder))
          expect(there).toMatchObject(is.figures)
          expect({ ...profiles[0].figures, ...profiles[1].figures }).toMatchObject(there)
          after.run('backup/drop', undefined)
          after.close()
          expect(readdirSync(folder).filter((each) => /next|chosen|damaged/.test(each))).toEqual([])
          return Promise.resolve()
        },
      })
      console.log(`restoring, ${ending}: PROPERTY_SEED=${seed}`, hits, { last, between })
      if (ending === 'killed') expect(last).toBeGreaterThan(1)
    },
    runs(120_000, 2_700_000),
  )
})
