import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { HistoryPath } from '#main/analytics/history-layout.ts'
import { historyFolder } from '#main/analytics/history-layout.ts'
import { runs } from '../helpers/long.ts'
import { tinyDisk, whyNoTinyDisk } from './tiny-disk.ts'
import { account, firstId, secondId, sessionFor, temporaryFolder } from '../src-main/database/helpers.ts'
import { backUp, choose, filesIn, putFigures } from '#test/src-main/backup/made-backups.ts'

/** Runs it to the end, then kills it at moments spread over all of its steps, each time over a fresh copy. */
function killed(profile: string, file: string, look: (folder: string) => string) {
  const ends = new Map<string, number>()
  const run = (last: number) => {
    const folder = join(temporaryFolder(), 'profile')
    cpSync(profile, folder, { recursive: true })
    const script = join(import.meta.dirname, 'moving-process.ts')
    const ended = spawnSync(process.execPath, [script, folder, file, String(last)], {
      encoding: 'utf8',
    })
    return { folder, ...ended }
  }
  const whole = run(Infinity)
  expect(whole.stderr).toBe('')
  look(whole.folder)
  const steps = Number(whole.stdout)
  const kills = runs(4, steps)
  for (let kill = 1; kill <= kills; kill += 1) {
    const { folder, signal } = run(Math.round((kill * steps) / kills))
    expect(signal).toBe('SIGKILL')
    const end = look(folder)
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }
  return ends
}

/** A profile of one account with some files of figures, closed. */
function profileOf(id: typeof firstId, name: string) {
  const folder = temporaryFolder()
  const session = sessionFor(folder)
  session.run('accounts/put', account({ id, name }))
  const paths: HistoryPath[] = []
  for (const month of ['2026-05', '2026-06', '2026-10'])
    paths.push(putFigures(folder, `${name} ${month}`, id, { month }))
  for (const path of paths) {
    const file = { path, size: 1, checksum: '00000000', tables: 1 }
    session.run('tables/keep', { file, tables: [], term: 0 })
  }
  session.close()
  return { folder, paths, figures: filesIn(historyFolder(folder)) }
}

it.skipIf(whyNoTinyDisk() !== null)('a backup that the disk has no room for says so', async () => {
  const { folder } = profileOf(firstId, 'Moved')
  putFigures(folder, 'x'.repeat(2_000_000), firstId)
  const session = sessionFor(folder)
  await expect(backUp(session, folder, join(tinyDisk(1500), 'made'))).rejects.toMatchObject({
    failure: { kind: 'disk', message: expect.stringMatching(/^The disk is full/) as string },
  })
})

it.skipIf(whyNoTinyDisk() !== null)('a backup that the profile has no room for says so', async () => {
  const { folder } = profileOf(firstId, 'Moved')
  putFigures(folder, 'x'.repeat(2_000_000), firstId)
  const file = join(temporaryFolder(), 'made.zip')
  await backUp(sessionFor(folder), folder, file)
  const small = tinyDisk(1500)
  await expect(choose(small, file)).rejects.toMatchObject({
    failure: { kind: 'disk', message: expect.stringMatching(/^The disk is full/) as string },
  })
  expect(readdirSync(small)).not.toContain('state.chosen.sqlite')
})

it('a profile is whole, the old one or the restored one, wherever the app was killed while it restored', async () => {
  const from = profileOf(firstId, 'Moved')
  const to = profileOf(secondId, 'Before')
  const file = join(temporaryFolder(), 'made.zip')
  const session = sessionFor(from.folder)
  expect(await backUp(session, from.folder, file)).toBe(0)
  session.close()
  const ends = killed(to.folder, file, (folder) => {
    const after = sessionFor(folder)
    const [name = ''] = after.run('accounts/list', undefined).map((each) => each.name)
    const restored = name === 'Moved'
    expect(after.run('accounts/list', undefined)).toHaveLength(1)
    expect(filesIn(historyFolder(folder))).toEqual({ ...to.figures, ...(restored && from.figures) })
    expect(readdirSync(folder).filter((each) => each.includes('next'))).toEqual([])
    after.run('backup/drop', undefined)
    expect(readdirSync(folder).filter((each) => each.includes('chosen'))).toEqual([])
    after.close()
    return name
  })
  expect([...ends.keys()].sort()).toEqual(['Before', 'Moved'])
}, 120_000)
