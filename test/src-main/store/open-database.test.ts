import { copyFileSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listAccounts, putAccount } from '../../../src-main/store/accounts-repository.ts'
import { keepAnswer } from '../../../src-main/store/answers-repository.ts'
import { openHandle } from '../../../src-main/store/database.ts'
import { isSound, openFile } from '../../../src-main/store/open-database.ts'
import { currentVersion } from '../../../src-main/store/migrate.ts'
import {
  readLayout,
  readSettings,
  writeLayout,
  writeSettings,
} from '../../../src-main/store/settings-repository.ts'
import { addViews, listViews } from '../../../src-main/store/views-repository.ts'
import type { SavedView, SavedViewId } from '../../../src-shared/views/saved.ts'
import { account, answer, firstId, openFor, secondId, temporaryFolder } from './helpers.ts'

const fileIn = (folder: string) => join(folder, 'desk.sqlite')

/** A folder with a closed file in which two accounts, a setting and a long answer are kept. */
function filledFolder(): string {
  const folder = temporaryFolder()
  const { database, close } = openFor(folder)
  putAccount(database, account())
  putAccount(database, account({ id: secondId, name: 'Second' }))
  writeSettings(database, { activeAccount: secondId })
  keepAnswer(database, answer({ text: 'x'.repeat(300_000) }), 2_000)
  close()
  return folder
}

describe('opening', () => {
  it('begins a file, in a folder that is not there yet', () => {
    const folder = join(temporaryFolder(), 'deeper', 'profile')
    const { database, opening } = openFor(folder)
    expect(opening).toEqual({ state: 'ready', rebuilt: null })
    expect(listAccounts(database)).toEqual([])
  })

  it('sets WAL, NORMAL, foreign keys and a time to wait', () => {
    const handle = openFile(fileIn(temporaryFolder()))
    const settings = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout']
    const found = settings.map((name) => handle.pragma(name, { simple: true }))
    handle.close()
    expect(found).toEqual(['wal', 1, 1, 5000])
  })

  it('finds everything again, and leaves nothing beside the file when closed', () => {
    const folder = filledFolder()
    expect(readdirSync(folder)).toEqual(['desk.sqlite'])
    const { database } = openFor(folder)
    expect(listAccounts(database).map((each) => each.id)).toEqual([firstId, secondId])
  })
})

describe('a newer file', () => {
  it('is refused and stays byte for byte as it is', () => {
    const folder = filledFolder()
    const handle = openHandle(fileIn(folder))
    handle.pragma(`user_version = ${currentVersion + 3}`)
    handle.close()
    const before = readFileSync(fileIn(folder))
    const { database, opening, close } = openFor(folder)
    expect(opening).toEqual({ state: 'newer', version: currentVersion + 3, known: currentVersion })
    putAccount(database, account())
    close()
    expect(readFileSync(fileIn(folder)).equals(before)).toBe(true)
    expect(readdirSync(folder)).toEqual(['desk.sqlite'])
  })

  it('is refused too where only its write-ahead log is newer', () => {
    const source = filledFolder()
    const folder = temporaryFolder()
    const handle = openHandle(fileIn(source))
    handle.pragma(`user_version = ${currentVersion + 1}`)
    for (const end of ['', '-wal']) copyFileSync(fileIn(source) + end, fileIn(folder) + end)
    handle.close()
    const before = ['', '-wal'].map((end) => readFileSync(fileIn(folder) + end))
    const { opening, close } = openFor(folder)
    close()
    expect(opening.state).toBe('newer')
    const after = ['', '-wal'].map((end) => readFileSync(fileIn(folder) + end))
    expect(after).toEqual(before)
  })
})

describe('a damaged file', () => {
  /** Opens a folder whose file is damaged and looks at what came of it. */
  function reopen(folder: string) {
    const { database, opening } = openFor(folder)
    if (opening.state !== 'ready' || opening.rebuilt === null)
      throw new Error(`Not rebuilt: ${opening.state}`)
    expect(opening.rebuilt.setAside).toMatch(/^desk\.damaged-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d+)?\.sqlite$/)
    return { database, rebuilt: opening.rebuilt }
  }

  it('that is no database is set aside whole', () => {
    const folder = temporaryFolder()
    writeFileSync(fileIn(folder), 'This is no database at all. '.repeat(100))
    const { database, rebuilt } = reopen(folder)
    expect(rebuilt.accounts).toBe(0)
    expect(listAccounts(database)).toEqual([])
    expect(readFileSync(join(folder, rebuilt.setAside), 'utf8')).toContain('no database at all')
  })

  it('that lacks its tables is set aside, and a second one in the same second too', () => {
    const folder = temporaryFolder()
    for (const nth of [1, 2]) {
      const handle = openHandle(fileIn(folder))
      handle.exec('DROP TABLE IF EXISTS answers; CREATE TABLE IF NOT EXISTS strange (a)')
      handle.pragma(`user_version = ${currentVersion}`)
      handle.close()
      const { opening, close } = openFor(folder)
      close()
      expect(opening).toMatchObject({ state: 'ready', rebuilt: { accounts: 0 } })
      expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toHaveLength(nth)
    }
  })

  it('that was cut short gives its accounts and settings to the new one', () => {
    const folder = filledFolder()
    // Beyond the tables' own descriptions, within what they hold.
    truncateSync(fileIn(folder), 140_000)
    expect(isSound(folder)).toBe(false)
    const { database, rebuilt } = reopen(folder)
    expect(rebuilt.accounts).toBe(2)
    expect(listAccounts(database).map((each) => each.name)).toEqual(['Acme', 'Second'])
    expect(readSettings(database).activeAccount).toBe(secondId)
  })

  it('gives its saved views and layouts too, in their order, and once where the damage doubled them', () => {
    const folder = filledFolder()
    const { database: before, close } = openFor(folder)
    const view = (number: number, changes: Partial<SavedView> = {}): SavedView => ({
      id: `44444444-4444-4444-8444-00000000000${number}` as SavedViewId,
      name: `View ${number}`,
      address: '#/overview',
      pinned: true,
      depth: null,
      start: false,
      ...changes,
    })
    const views = [view(3), view(1, { start: true }), view(2)]
    addViews(before, secondId, views)
    const layout = { order: ['Good'], hidden: [], widths: {} }
    writeLayout(before, 'script/browsers', layout)
    before.write(`DROP INDEX saved_views_start`)
    before.write('UPDATE saved_views SET start = 1 WHERE id = ?', view(2).id)
    before.write('DROP TABLE answers')
    close()
    const { database } = reopen(folder)
    expect(listViews(database, secondId)).toEqual(views)
    expect(readLayout(database, 'script/browsers')).toEqual(layout)
  })

  it('whose header is torn is set aside without a crash', () => {
    const folder = filledFolder()
    const bytes = readFileSync(fileIn(folder))
    bytes.fill(0xff, 100, 4096)
    writeFileSync(fileIn(folder), bytes)
    const { database } = reopen(folder)
    expect(listAccounts(database)).toEqual([])
  })
})
