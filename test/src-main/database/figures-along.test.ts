import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { historyFolder } from '#main/reports/history/layout.ts'
import { leavingFile } from '#main/database/state/moving.ts'
import { account, firstId, secondId, sessionFor, temporaryFolder } from './helpers.ts'
import { backUp, choose, filesIn, pathFor, putFigures } from './backup-with-figures.ts'

const now = () => Date.parse('2026-11-16T08:30:00.250Z')
const day = 86_400_000
const damaged = 'This backup is damaged. Choose another one.'
const noBackup = 'This file is no backup of Traffic Desk.'

/** A backup of one account with two files of figures, and what they hold. */
async function made() {
  const folder = temporaryFolder()
  const session = sessionFor(folder, { now })
  session.run('accounts/put', account({ name: 'Moved' }))
  const paths = [
    putFigures(folder, 'October', firstId),
    putFigures(folder, 'May', firstId, { month: '2026-05' }),
  ]
  const file = join(folder, 'made.desk-backup')
  expect(await backUp(session, folder, file, paths)).toEqual(['added', 'added'])
  session.close()
  return { folder, file, figures: filesIn(historyFolder(folder)) }
}

/** A profile with an account and figures of its own. */
function other() {
  const folder = temporaryFolder()
  const session = sessionFor(folder, { now })
  session.run('accounts/put', account({ id: secondId, name: 'Before' }))
  putFigures(folder, 'Mine', secondId)
  return { folder, session, figures: filesIn(historyFolder(folder)) }
}

const namesIn = (session: ReturnType<typeof sessionFor>) =>
  session.run('accounts/list', undefined).map(({ name }) => name)
const leftIn = (folder: string) => readdirSync(folder).filter((name) => /chosen|next/.test(name))

describe('saved figures in a backup', () => {
  it('come with it at the next start, beside those that are there', async () => {
    const { file, figures } = await made()
    const { folder, session, figures: mine } = other()
    expect(await choose(session, folder, file)).toEqual({ files: 2, bytes: 10 })
    session.run('backup/agree', undefined)
    expect(filesIn(historyFolder(folder))).toEqual(mine)
    session.close()
    const after = sessionFor(folder, { now })
    expect(namesIn(after)).toEqual(['Moved'])
    expect(filesIn(historyFolder(folder))).toEqual({ ...mine, ...figures })
    expect(leftIn(folder)).toEqual([])
  })

  it('fill the gaps of the same account, and replace nothing', async () => {
    const { folder, file, figures } = await made()
    const [october = ''] = Object.keys(figures)
    rmSync(join(historyFolder(folder), october))
    const later = putFigures(folder, 'Later', firstId, { id: 'f' })
    // Nothing that is there is written over, whatever it holds.
    const may = Object.keys(figures).find((path) => path.includes('2026-05')) ?? ''
    writeFileSync(join(historyFolder(folder), may), 'As it is')
    const session = sessionFor(folder, { now })
    await choose(session, folder, file)
    session.run('backup/agree', undefined)
    session.close()
    sessionFor(folder, { now })
    expect(filesIn(historyFolder(folder))).toEqual({ ...figures, [may]: 'As it is', [later]: 'Later' })
  })

  it('are those of its accounts alone, and whole', async () => {
    const folder = temporaryFolder()
    const session = sessionFor(folder, { now })
    session.run('accounts/put', account())
    const path = putFigures(folder, 'October', firstId)
    writeFileSync(join(historyFolder(folder), path), 'Octobre')
    const gone = pathFor('gone', firstId)
    const file = join(folder, 'made.desk-backup')
    const paths = [path, gone, putFigures(folder, 'Second', secondId), putFigures(folder, 'May', firstId)]
    expect(await backUp(session, folder, file, paths)).toEqual(['damaged', 'gone', 'foreign', 'added'])
    expect(await choose(session, folder, file)).toEqual({ files: 1, bytes: 3 })
  })

  it('that nobody agreed to are forgotten', async () => {
    const { file } = await made()
    const { folder, session, figures } = other()
    await choose(session, folder, file)
    session.run('backup/drop', undefined)
    expect(leftIn(folder)).toEqual([])
    await choose(session, folder, file)
    session.run('backup/agree', undefined)
    rmSync(join(folder, 'state.next.sqlite'))
    session.close()
    expect(namesIn(sessionFor(folder, { now }))).toEqual(['Before'])
    expect(leftIn(folder)).toEqual([])
    expect(filesIn(historyFolder(folder))).toEqual(figures)
  })

  it('are let go with it where an account is removed while the person is asked, which is said', async () => {
    const { file } = await made()
    const { folder, session } = other()
    await choose(session, folder, file)
    session.run('accounts/remove', secondId)
    expect(() => session.run('backup/agree', undefined)).toThrow(
      'This backup was let go meanwhile. Choose it again.',
    )
    expect(leftIn(folder)).toEqual([])
    await choose(session, folder, file)
    session.run('backup/agree', undefined)
    session.close()
    expect(namesIn(sessionFor(folder, { now }))).toEqual(['Moved'])
  })

  it('come with it where it is agreed to once more, after the disk refused', async () => {
    const { file } = await made()
    const { folder, session } = other()
    await choose(session, folder, file)
    // The state cannot be agreed to while it has gone.
    const [chosen, away] = [join(folder, 'state.chosen.sqlite'), join(folder, 'away')]
    renameSync(chosen, away)
    expect(() => session.run('backup/agree', undefined)).toThrow()
    renameSync(away, chosen)
    session.run('backup/agree', undefined)
    session.close()
    sessionFor(folder, { now })
    expect(Object.values(filesIn(historyFolder(folder)))).toEqual(expect.arrayContaining(['October', 'May']))
  })

  it('that cannot be put in place leave everything as it was before', async () => {
    const { file } = await made()
    const { folder, session } = other()
    await choose(session, folder, file)
    session.run('backup/agree', undefined)
    session.close()
    const elsewhere = temporaryFolder()
    symlinkSync(elsewhere, join(historyFolder(folder), `account=${firstId}`))
    const after = sessionFor(folder, { now })
    expect(after.opening).toEqual({ kind: 'ready', news: { kind: 'not-moved' } })
    expect(namesIn(after)).toEqual(['Before'])
    expect(leftIn(folder)).toEqual([])
    expect(readdirSync(elsewhere)).toEqual([])
  })
})

describe('a backup by somebody else', () => {
  const october = pathFor('October', firstId)
  const files = (...lines: readonly (readonly [string, string])[]) =>
    lines.map(([line, bytes]) => `${line}\n${bytes}`).join('')

  it.each<[string, string, string]>([
    [
      'a path out of the folder',
      files([`account=${firstId}/../../../up 7 0`, 'October'], ['end 1', '']),
      noBackup,
    ],
    ['an absolute path', files(['/etc/passwd 7 0', 'October'], ['end 1', '']), noBackup],
    [
      'another kind of file',
      files([`account=${firstId}/run-me.desktop 7 0`, 'October'], ['end 1', '']),
      noBackup,
    ],
    [
      'figures of an account that it lacks',
      files([`${pathFor('October', secondId)} 7 0`, 'October'], ['end 1', '']),
      noBackup,
    ],
    ['bytes that its name does not fit', files([`${october} 7 0`, 'Octobre'], ['end 1', '']), damaged],
    ['more bytes than there are', files([`${october} 999999999999 0`, 'October'], ['end 1', '']), damaged],
    [
      'the same file twice',
      files([`${october} 7 0`, 'October'], [`${october} 7 0`, 'October'], ['end 2', '']),
      damaged,
    ],
    ['less than it says', files([`${october} 7 0`, 'October'], ['end 2', '']), damaged],
    ['no end', files([`${october} 7 0`, 'October']), damaged],
    ['something behind its end', files([`${october} 7 0`, 'October'], ['end 1', 'more']), damaged],
    ['a line without end', 'x'.repeat(10_000), damaged],
  ])('with %s is refused in words, and changes nothing', async (_, tail, words) => {
    const source = temporaryFolder()
    const from = sessionFor(source, { now })
    from.run('accounts/put', account({ name: 'Moved' }))
    const file = join(source, 'made.desk-backup')
    from.run('backup/write', undefined)
    renameSync(leavingFile(source), file)
    writeFileSync(file, `Traffic Desk saved figures 1\n${tail}`, { flag: 'a' })
    const { folder, session, figures } = other()
    await expect(choose(session, folder, file)).rejects.toMatchObject({ failure: { message: words } })
    session.run('backup/drop', undefined)
    expect(leftIn(folder)).toEqual([])
    expect(filesIn(historyFolder(folder))).toEqual(figures)
    expect(readdirSync(join(folder, '..')).includes('up')).toBe(false)
  })

  it('with anything else behind its state is refused', async () => {
    const { file } = await made()
    const bytes = readFileSync(file)
    bytes[bytes.indexOf('saved figures')] = 0x53
    writeFileSync(file, bytes)
    const { folder, session } = other()
    await expect(choose(session, folder, file)).rejects.toMatchObject({ failure: { message: damaged } })
  })
})

describe('figures of accounts that a restored backup lacks', () => {
  const traces = (folder: string) =>
    [historyFolder(folder), join(folder, 'rows')].map((each) => existsSync(join(each, `account=${secondId}`)))

  /** A profile in which a backup without the second account was restored. */
  async function replaced() {
    const { file } = await made()
    const { folder, session } = other()
    mkdirSync(join(folder, 'rows', `account=${secondId}`), { recursive: true })
    await choose(session, folder, file)
    session.run('backup/agree', undefined)
    session.close()
    return folder
  }

  it('stay while the person may go back, and go with the state that was set aside', async () => {
    const folder = await replaced()
    const before = sessionFor(folder, { now })
    before.keepHouse()
    before.close()
    expect(traces(folder)).toEqual([true, true])
    const after = sessionFor(folder, { now: () => now() + 31 * day })
    after.keepHouse()
    expect(traces(folder)).toEqual([false, false])
    expect(readdirSync(folder).filter((name) => name.includes('replaced'))).toEqual([])
    expect(Object.values(filesIn(historyFolder(folder)))).toEqual(expect.arrayContaining(['October', 'May']))
  })

  it('stay as long where another account is removed meanwhile', async () => {
    const folder = await replaced()
    const before = sessionFor(folder, { now })
    before.run('accounts/remove', firstId)
    before.close()
    expect(traces(folder)).toEqual([true, true])
    const after = sessionFor(folder, { now: () => now() + 31 * day })
    after.keepHouse()
    expect(traces(folder)).toEqual([false, false])
    expect(readdirSync(folder).filter((name) => name.includes('replaced'))).toEqual([])
  })

  it('stay while a state that was set aside later cannot be read', async () => {
    const folder = await replaced()
    sessionFor(folder, { now }).close()
    writeFileSync(join(folder, 'state.replaced-2026-12-01T00-00-00-000Z.sqlite'), 'no database')
    const after = sessionFor(folder, { now: () => now() + 31 * day })
    after.keepHouse()
    expect(traces(folder)).toEqual([true, true])
  })

  it('stay where the account came back', async () => {
    const folder = await replaced()
    const session = sessionFor(folder, { now: () => now() + 31 * day })
    session.run('accounts/put', account({ id: secondId, name: 'Back' }))
    session.keepHouse()
    expect(traces(folder)).toEqual([true, true])
  })

  it('stay where a later state that was set aside has it', async () => {
    const folder = await replaced()
    const again = sessionFor(folder, { now })
    again.run('accounts/put', account({ id: secondId, name: 'Back' }))
    const file = join(folder, 'without.desk-backup')
    const { file: without } = await made()
    writeFileSync(file, readFileSync(without))
    again.close()
    const later = () => now() + 20 * day
    const session = sessionFor(folder, { now: later })
    await choose(session, folder, file)
    session.run('backup/agree', undefined)
    session.close()
    const open = (days: number) => {
      const at = sessionFor(folder, { now: () => now() + days * day })
      at.keepHouse()
      at.close()
    }
    // The second state was set aside when it was replaced: 20 days later.
    const placed = sessionFor(folder, { now: later })
    placed.close()
    open(31)
    expect(traces(folder)).toEqual([true, true])
    open(51)
    expect(traces(folder)).toEqual([false, false])
  })
})
