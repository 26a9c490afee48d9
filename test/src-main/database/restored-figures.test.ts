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
import { historyFolder } from '#main/analytics/history-layout.ts'
import { choose, filesIn, leftIn, madeBackup, otherProfile, putFigures } from '../backup/made-backups.ts'
import { account, firstId, secondId, sessionFor, temporaryFolder } from './helpers.ts'

const now = () => Date.parse('2026-11-16T08:30:00.250Z')
const day = 86_400_000

const namesIn = (session: ReturnType<typeof sessionFor>) =>
  session.run('accounts/list', undefined).map(({ name }) => name)

describe('saved figures in a backup', () => {
  it('come with it at the next start, beside those that are there', async () => {
    const { file, figures } = await madeBackup()
    const { folder, session, figures: mine } = otherProfile()
    expect(await choose(folder, file)).toEqual({ files: 2, bytes: 10 })
    session.run('backup/agree', undefined)
    expect(filesIn(historyFolder(folder))).toEqual(mine)
    session.close()
    const after = sessionFor(folder, { now })
    expect(namesIn(after)).toEqual(['Moved'])
    expect(filesIn(historyFolder(folder))).toEqual({ ...mine, ...figures })
    expect(leftIn(folder)).toEqual([])
  })

  it('fill the gaps of the same account, and replace nothing', async () => {
    const { folder, file, figures } = await madeBackup()
    const [october = ''] = Object.keys(figures)
    rmSync(join(historyFolder(folder), october))
    const later = putFigures(folder, 'Later', firstId, { id: 'f' })
    // Nothing that is there is written over, whatever it holds.
    const may = Object.keys(figures).find((path) => path.includes('2026-05')) ?? ''
    writeFileSync(join(historyFolder(folder), may), 'As it is')
    const session = sessionFor(folder, { now })
    await choose(folder, file)
    session.run('backup/agree', undefined)
    session.close()
    sessionFor(folder, { now })
    expect(filesIn(historyFolder(folder))).toEqual({ ...figures, [may]: 'As it is', [later]: 'Later' })
  })

  it('that nobody agreed to are forgotten', async () => {
    const { file } = await madeBackup()
    const { folder, session, figures } = otherProfile()
    await choose(folder, file)
    session.run('backup/drop', undefined)
    expect(leftIn(folder)).toEqual([])
    await choose(folder, file)
    session.run('backup/agree', undefined)
    rmSync(join(folder, 'state.next.sqlite'))
    session.close()
    expect(namesIn(sessionFor(folder, { now }))).toEqual(['Before'])
    expect(leftIn(folder)).toEqual([])
    expect(filesIn(historyFolder(folder))).toEqual(figures)
  })

  it('are let go with it where an account is removed while the person is asked, which is said', async () => {
    const { file } = await madeBackup()
    const { folder, session } = otherProfile()
    await choose(folder, file)
    session.run('accounts/remove', secondId)
    expect(() => session.run('backup/agree', undefined)).toThrow(
      'This backup was let go meanwhile. Choose it again.',
    )
    expect(leftIn(folder)).toEqual([])
    await choose(folder, file)
    session.run('backup/agree', undefined)
    session.close()
    expect(namesIn(sessionFor(folder, { now }))).toEqual(['Moved'])
  })

  it('come with it where it is agreed to once more, after the disk refused', async () => {
    const { file } = await madeBackup()
    const { folder, session } = otherProfile()
    await choose(folder, file)
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
    const { file } = await madeBackup()
    const { folder, session } = otherProfile()
    await choose(folder, file)
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

describe('figures of accounts that a restored backup lacks', () => {
  const traces = (folder: string) =>
    [historyFolder(folder), join(folder, 'rows')].map((each) => existsSync(join(each, `account=${secondId}`)))

  /** A profile in which a backup without the second account was restored. */
  async function replaced() {
    const { file } = await madeBackup()
    const { folder, session } = otherProfile()
    mkdirSync(join(folder, 'rows', `account=${secondId}`), { recursive: true })
    await choose(folder, file)
    session.run('backup/agree', undefined)
    session.close()
    return folder
  }

  it('stay while the person may go back, and go with the state that was set aside', async () => {
    const folder = await replaced()
    const before = sessionFor(folder, { now })
    before.maintain()
    before.close()
    expect(traces(folder)).toEqual([true, true])
    const after = sessionFor(folder, { now: () => now() + 31 * day })
    after.maintain()
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
    after.maintain()
    expect(traces(folder)).toEqual([false, false])
    expect(readdirSync(folder).filter((name) => name.includes('replaced'))).toEqual([])
  })

  it('stay while a state that was set aside later cannot be read', async () => {
    const folder = await replaced()
    sessionFor(folder, { now }).close()
    writeFileSync(join(folder, 'state.replaced-2026-12-01T00-00-00-000Z.sqlite'), 'no database')
    const after = sessionFor(folder, { now: () => now() + 31 * day })
    after.maintain()
    expect(traces(folder)).toEqual([true, true])
  })

  it('stay where the account came back', async () => {
    const folder = await replaced()
    const session = sessionFor(folder, { now: () => now() + 31 * day })
    session.run('accounts/put', account({ id: secondId, name: 'Back' }))
    session.maintain()
    expect(traces(folder)).toEqual([true, true])
  })

  it('stay where a later state that was set aside has it', async () => {
    const folder = await replaced()
    const again = sessionFor(folder, { now })
    again.run('accounts/put', account({ id: secondId, name: 'Back' }))
    const file = join(folder, 'without.zip')
    const { file: without } = await madeBackup()
    writeFileSync(file, readFileSync(without))
    again.close()
    const later = () => now() + 20 * day
    const session = sessionFor(folder, { now: later })
    await choose(folder, file)
    session.run('backup/agree', undefined)
    session.close()
    const open = (days: number) => {
      const at = sessionFor(folder, { now: () => now() + days * day })
      at.maintain()
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
