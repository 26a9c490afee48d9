import { createHash } from 'node:crypto'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packBackup } from '#main/backup/pack.ts'
import { openHandle } from '#main/database/sqlite/database.ts'
import { currentVersion } from '#main/database/sqlite/migrate.ts'
import { stateSchema } from '#main/database/state/schema.ts'
import { historyFolder } from '#main/analytics/history-layout.ts'
import { filesInZip } from '#test/helpers/files-in-zip.ts'
import { account, firstId, secondId, sessionFor, temporaryFolder } from '../database/helpers.ts'
import { backUp, madeBackup, pathFor, putFigures } from './made-backups.ts'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** A profile whose state was copied, to be packed. */
function copied() {
  const folder = temporaryFolder()
  const session = sessionFor(folder)
  session.run('accounts/put', account())
  session.run('backup/write', undefined)
  const to = join(folder, 'made.zip')
  writeFileSync(to, 'what was there before '.repeat(10_000))
  return { profile: folder, to, app: '1.2.3' }
}

it('a backup is a ZIP of the state, the figures as they lie in the history, and a manifest that tells their sums', async () => {
  const { file, folder, figures } = await madeBackup()
  const files = new Map(await filesInZip(file))
  const history = Object.keys(figures).map((path) => `history/${path}`)
  expect([...files.keys()].sort()).toEqual([...history, 'manifest.json', 'state.sqlite'].sort())
  for (const [path, content] of Object.entries(figures))
    expect(files.get(`history/${path}`)?.toString()).toBe(content)
  writeFileSync(join(folder, 'taken-out.sqlite'), files.get('state.sqlite') ?? '')
  const state = openHandle(join(folder, 'taken-out.sqlite'), { readonly: true })
  expect(state.prepare('SELECT name FROM accounts').pluck().all()).toEqual(['Moved'])
  state.close()

  const { files: listed, ...about }: { files: object[] } = JSON.parse(String(files.get('manifest.json')))
  expect(about).toEqual({
    ...{ kind: 'traffic-desk-backup', format: 1, app: '1.2.3', schema: currentVersion(stateSchema) },
  })
  files.delete('manifest.json')
  expect(listed).toEqual(
    [...files].map(([path, bytes]) => ({
      ...{ path, bytes: bytes.length, sha256: sha256(bytes) },
      writtenAt: path.startsWith('history/')
        ? Math.round(statSync(join(folder, path)).mtimeMs)
        : (expect.any(Number) as number),
    })),
  )
})

it('figures are those of its accounts alone, and whole', async () => {
  const folder = temporaryFolder()
  const session = sessionFor(folder)
  session.run('accounts/put', account())
  const path = putFigures(folder, 'October', firstId)
  writeFileSync(join(historyFolder(folder), path), 'Octobre')
  const may = putFigures(folder, 'May', firstId)
  putFigures(folder, 'Second', secondId)
  writeFileSync(join(historyFolder(folder), 'notes.txt'), 'no figures')
  const file = join(folder, 'made.zip')
  expect(await backUp(session, folder, file)).toBe(1)
  const names = ['state.sqlite', `history/${may}`, 'manifest.json']
  expect([...(await filesInZip(file)).keys()]).toEqual(names)
})

it('without figures holds the state alone, and nothing of the file that it takes the place of', async () => {
  const packing = copied()
  putFigures(packing.profile, 'May', firstId)
  expect(await packBackup({ ...packing, figures: false })).toBe(0)
  expect([...(await filesInZip(packing.to)).keys()]).toEqual(['state.sqlite', 'manifest.json'])
})

it('files that are replaced meanwhile are left for those that take their place', async () => {
  const packing = copied()
  const [one, two] = ['One', 'Two'].map((bytes, id) =>
    putFigures(packing.profile, bytes, firstId, { id: String(id) }),
  )
  const steps: unknown[] = []
  const leftOut = await packBackup({ ...packing, figures: true }, (progress) => {
    if (steps.push(progress) > 1) return
    rmSync(join(historyFolder(packing.profile), two ?? ''))
    putFigures(packing.profile, 'Both', firstId, { id: '2' })
  })
  expect(leftOut).toBe(0)
  expect(steps).toEqual([
    { done: 1, total: 2, unit: 'files' },
    { done: 2, total: 2, unit: 'files' },
    { done: 1, total: 1, unit: 'files' },
  ])
  const both = pathFor('Both', firstId, { id: '2' })
  const names = ['state.sqlite', `history/${one}`, `history/${both}`, 'manifest.json']
  expect([...(await filesInZip(packing.to)).keys()]).toEqual(names)
})

it('files that are replaced again and again are counted, and the backup ends', async () => {
  const packing = copied()
  let id = 0
  const putTwo = () => {
    for (let each = 0; each < 2; each += 1)
      putFigures(packing.profile, `${(id += 1)}`, firstId, { id: `${id}` })
  }
  putTwo()
  const leftOut = await packBackup({ ...packing, figures: true }, ({ done }) => {
    if (done > 1) return
    rmSync(historyFolder(packing.profile), { recursive: true })
    putTwo()
  })
  expect(leftOut).toBe(1)
})
