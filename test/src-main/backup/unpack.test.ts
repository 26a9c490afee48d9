import { createHash } from 'node:crypto'
import {
  appendFileSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { unpackBackup } from '#main/backup/unpack.ts'
import { stateSchema } from '#main/database/state/schema.ts'
import { currentVersion } from '#main/database/sqlite/migrate.ts'
import { chosenFile, leavingFile } from '#main/database/state/moving.ts'
import { chosenFigures } from '#main/database/restored-figures.ts'
import { historyFolder } from '#main/analytics/history-layout.ts'
import { filesInZip } from '#test/helpers/files-in-zip.ts'
import { account, firstId, secondId, sessionFor, temporaryFolder } from '../database/helpers.ts'
import { lying, locked, noughts, overlapping, renamed, zipOf } from '../files/made-archives.ts'
import { choose, filesIn, leftIn, madeBackup, otherProfile, pathFor } from './made-backups.ts'

const damaged = 'This backup is damaged. Choose another one.'
const noBackup = 'This file is no backup of Traffic Desk.'
const newer =
  'This backup was made by a newer version of Traffic Desk. Install that version, then restore it.'
const october = `history/${pathFor('October', firstId)}`
const may = `history/${pathFor('May', firstId, { month: '2026-05' })}`

it('a backup is taken apart into a state that was checked, and figures', async () => {
  const { file, figures } = await madeBackup()
  const { folder, figures: mine } = otherProfile()
  expect(await unpackBackup({ source: file, profile: folder, now: 0 })).toEqual({
    accounts: ['Moved'],
    figures: { files: 2, bytes: 10 },
  })
  expect(filesIn(chosenFigures(folder))).toEqual(figures)
  expect(filesIn(historyFolder(folder))).toEqual(mine)
})

it('a backup that a person took apart and packed again by other means is one still', async () => {
  const { file, figures } = await madeBackup()
  const again = join(temporaryFolder(), 'again.zip')
  const files = Object.fromEntries([...(await filesInZip(file))].reverse())
  writeFileSync(again, await zipOf(files, { zip64: true, folders: ['history/'] }))
  const { folder } = otherProfile()
  expect(await choose(folder, again)).toEqual({ files: 2, bytes: 10 })
  expect(filesIn(chosenFigures(folder))).toEqual(figures)
})

type Manifest = { files: { path: string; bytes: number; sha256: string; writtenAt: number }[] }
type Files = Record<string, Buffer | string | Readable>

/** What a stranger makes of a sound backup. */
type Forgery = {
  /** Changes files; what the manifest says of those that it names is put right. */
  readonly files?: (files: Files) => void
  readonly manifest?: (manifest: Manifest) => unknown
  readonly zip?: (zip: Buffer) => Buffer
  readonly options?: Parameters<typeof zipOf>[1]
}

async function forged({ files: change, manifest, zip, options }: Forgery): Promise<string> {
  const { file } = await madeBackup()
  const { 'manifest.json': told = '', ...rest } = Object.fromEntries(await filesInZip(file))
  const files: Files = rest
  change?.(files)
  const right: Manifest = JSON.parse(String(told))
  right.files = Object.entries(files).map(([path, bytes]) => ({
    ...{ path, bytes: 0, sha256: '0'.repeat(64), writtenAt: 0 },
    ...(!(bytes instanceof Readable) && {
      bytes: Buffer.byteLength(bytes),
      sha256: createHash('sha256').update(bytes).digest('hex'),
    }),
  }))
  const text = JSON.stringify(manifest ? manifest(right) : right)
  const made = await zipOf({ ...files, ...(text && { 'manifest.json': text }) }, options)
  writeFileSync(file, zip ? zip(made) : made)
  return file
}

const ofOctober = (change: Partial<Manifest['files'][number]>) => (manifest: Manifest) => ({
  ...manifest,
  files: manifest.files.map((each) => (each.path === october ? { ...each, ...change } : each)),
})

/** Another name as long as that of October's file. */
const another = (name: string) => (zip: Buffer) =>
  renamed(zip, october, name + 'x'.repeat(october.length - name.length))

describe('a backup by somebody else', () => {
  it.each<[string, Forgery, string]>([
    ['a path out of the folder', { zip: another('../up/') }, noBackup],
    [
      'a path out of the folder behind its history',
      { zip: another(`history/account=${firstId}/../../../up`) },
      noBackup,
    ],
    ['an absolute path', { zip: another('/etc/passwd') }, noBackup],
    ['a path of Windows', { zip: another('C:\\up') }, noBackup],
    [
      'another kind of file',
      { files: (files) => (files[`history/account=${firstId}/run-me.desktop`] = 'x') },
      noBackup,
    ],
    ['a file beside', { files: (files) => (files['run-me.desktop'] = 'x') }, noBackup],
    [
      'a file that its manifest does not name',
      { manifest: (all) => ({ ...all, files: all.files.filter(({ path }) => path !== october) }) },
      noBackup,
    ],
    [
      'a file that is not there',
      {
        manifest: (all) => ({
          ...all,
          files: [...all.files, { ...(all.files[0] ?? {}), path: october.replace('0-', '1-') }],
        }),
      },
      damaged,
    ],
    [
      'figures of an account that it lacks',
      { files: (files) => (files[`history/${pathFor('x', secondId)}`] = 'x') },
      noBackup,
    ],
    ['bytes that its name does not fit', { files: (files) => (files[october] = 'Octobre') }, damaged],
    ['bytes that its manifest does not fit', { manifest: ofOctober({ sha256: '0'.repeat(64) }) }, damaged],
    ['another size than its manifest says', { manifest: ofOctober({ bytes: 8 }) }, damaged],
    ['another size than its directory says', { zip: (zip) => lying(zip, 1_000_000) }, damaged],
    ['a size of less than nothing', { manifest: ofOctober({ bytes: -1 }) }, noBackup],
    ['the same file twice', { zip: (zip) => renamed(zip, may, october) }, damaged],
    [
      'the same file named twice',
      { manifest: (all) => ({ ...all, files: [...all.files, ...all.files] }) },
      damaged,
    ],
    ['files that lie over each other', { zip: (zip) => overlapping(zip, 2) }, noBackup],
    ['no state', { files: (files) => delete files['state.sqlite'] }, noBackup],
    ['a state that is none', { files: (files) => (files['state.sqlite'] = 'none') }, noBackup],
    ['no manifest', { manifest: () => undefined }, noBackup],
    ['a manifest that is none', { manifest: () => 'none' }, noBackup],
    ['the manifest of something else', { manifest: (all) => ({ ...all, kind: 'extension' }) }, noBackup],
    ['more in its manifest', { manifest: (all) => ({ ...all, more: 1 }) }, noBackup],
    ['a newer form', { manifest: () => ({ kind: 'traffic-desk-backup', format: 2 }) }, newer],
    ['a newer state', { manifest: (all) => ({ ...all, schema: currentVersion(stateSchema) + 1 }) }, newer],
    ['a link', { options: { mode: 0o120777 } }, noBackup],
    ['a password', { zip: locked }, noBackup],
    [
      'a state that unpacks to far more',
      { files: (files) => (files['state.sqlite'] = Readable.from(noughts(70))) },
      noBackup,
    ],
    ['something behind its end', { zip: (zip) => Buffer.concat([zip, Buffer.from('more')]) }, damaged],
    ['nothing in it', { zip: (zip) => zip.subarray(zip.indexOf('PK\u0005\u0006')).fill(0, 8, 20) }, noBackup],
  ])('with %s is refused in words, and changes nothing', async (_, forgery, words) => {
    const file = await forged(forgery)
    const { folder, session, figures } = otherProfile()
    await expect(choose(folder, file)).rejects.toMatchObject({ failure: { kind: 'invalid', message: words } })
    session.run('backup/drop', undefined)
    expect(leftIn(folder)).toEqual([])
    expect(filesIn(historyFolder(folder))).toEqual(figures)
    expect(readdirSync(dirname(folder)).includes('up')).toBe(false)
  })

  it('that was cut off anywhere is refused', async () => {
    const { file } = await madeBackup()
    const { folder, session } = otherProfile()
    const whole = readFileSync(file)
    for (let length = whole.length - 1; length > 1; length -= Math.ceil(whole.length / 40)) {
      truncateSync(file, length)
      await expect(choose(folder, file), String(length)).rejects.toMatchObject({
        failure: { message: damaged },
      })
      session.run('backup/drop', undefined)
      expect(leftIn(folder)).toEqual([])
    }
  })

  it('whose moments are to come brings its figures as of now', async () => {
    const file = await forged({ manifest: ofOctober({ writtenAt: Date.parse('9999-01-01') }) })
    const { folder } = otherProfile()
    const now = Date.parse('2026-11-16T08:30:00.250Z')
    await unpackBackup({ source: file, profile: folder, now })
    expect(statSync(join(chosenFigures(folder), october.slice('history/'.length))).mtimeMs).toBe(now)
  })
})

describe('a state by itself', () => {
  /** As the app sets one aside; a backup of an older kind began with one, too. */
  function plainState(): string {
    const folder = temporaryFolder()
    const session = sessionFor(folder)
    session.run('accounts/put', account({ name: 'Moved' }))
    session.run('backup/write', undefined)
    const file = join(folder, 'state.replaced-2026-12-01T00-00-00-000Z.sqlite')
    renameSync(leavingFile(folder), file)
    return file
  }

  it('is restored like a backup', async () => {
    const { folder } = otherProfile()
    const unpacked = await unpackBackup({ source: plainState(), profile: folder, now: 0 })
    expect(unpacked).toEqual({ accounts: ['Moved'], figures: null })
    expect(readFileSync(chosenFile(folder)).length).toBeGreaterThan(0)
  })

  it.each([
    [
      'Traffic Desk saved figures 1\nend 0\n',
      'This backup is of an older kind, whose saved figures this version cannot read. Make a new one where it was made.',
    ],
    ['more', damaged],
  ])('with %j behind its end is refused in words', async (behind, words) => {
    const file = plainState()
    appendFileSync(file, behind)
    const { folder, session } = otherProfile()
    await expect(choose(folder, file)).rejects.toMatchObject({ failure: { kind: 'invalid', message: words } })
    session.run('backup/drop', undefined)
    expect(leftIn(folder)).toEqual([])
  })
})
