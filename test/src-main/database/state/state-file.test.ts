import {
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openHandle } from '#main/database/sqlite/database.ts'
import { currentVersion } from '#main/database/sqlite/migrate.ts'
import { isSound, openFile, openOnDisk } from '#main/database/sqlite/open-file.ts'
import { listAccounts, putAccount } from '#main/database/state/accounts-repository.ts'
import { backupsIn } from '#main/database/state/copies.ts'
import type { StateNews } from '#main/database/state/state-file.ts'
import { stateFile, stateSchema } from '#main/database/state/schema.ts'
import { readSettings, writeSettings } from '#main/database/state/settings-repository.ts'
import { StateFile } from '#main/database/state/state-file.ts'
import { account, firstId, secondId, sessionFor, temporaryFolder } from '../helpers.ts'

const known = currentVersion(stateSchema)
const day = 86_400_000
const monday = Date.parse('2026-11-16T08:30:00.250Z')

/** The state of a folder, by a clock that stands still. */
function openState(folder: string, now = monday, heard: StateNews[] = []): StateFile {
  const state = new StateFile(
    folder,
    () => now,
    (news) => heard.push(news),
  )
  onTestFinished(() => state.close())
  return state
}

const namesOf = (state: StateFile) => state.run(listAccounts).map(({ name }) => name)

/** A folder with a closed state of two accounts, and a backup of monday that knows them. */
function filledFolder(): string {
  const folder = temporaryFolder()
  const state = openState(folder)
  state.run((database) => {
    putAccount(database, account())
    putAccount(database, account({ id: secondId, name: 'Second' }))
    writeSettings(database, { activeAccount: secondId, lastView: 'x'.repeat(50_000) })
  })
  state.maintain()
  state.close()
  return folder
}

const filesIn = (folder: string) => readdirSync(folder).filter((name) => name !== 'backups')

describe('opening', () => {
  it('begins a file, in a folder that is not there yet', () => {
    const state = openState(join(temporaryFolder(), 'deeper', 'profile'))
    expect(state.opening).toEqual({ kind: 'ready', news: null })
    expect(namesOf(state)).toEqual([])
  })

  it('sets WAL, FULL, foreign keys, secure deleting and a time to wait', () => {
    const handle = openOnDisk({ file: stateFile(temporaryFolder()), schema: stateSchema })
    const settings = ['journal_mode', 'synchronous', 'foreign_keys', 'secure_delete', 'busy_timeout']
    const found = settings.map((name) => handle.pragma(name, { simple: true }))
    handle.close()
    expect(found).toEqual(['wal', 2, 1, 1, 5000])
  })

  it('finds everything again, and leaves nothing beside the file when closed', () => {
    const folder = filledFolder()
    expect(filesIn(folder)).toEqual(['state.sqlite'])
    expect(namesOf(openState(folder))).toEqual(['Acme', 'Second'])
  })
})

describe('a newer file', () => {
  it('is refused and stays byte for byte as it is', () => {
    const folder = filledFolder()
    const handle = openHandle(stateFile(folder))
    handle.pragma(`user_version = ${known + 3}`)
    handle.close()
    const before = readFileSync(stateFile(folder))
    const state = openState(folder)
    expect(state.opening).toEqual({ kind: 'newer', version: known + 3, known })
    state.run((database) => putAccount(database, account()))
    state.maintain()
    state.close()
    expect(readFileSync(stateFile(folder)).equals(before)).toBe(true)
    expect(filesIn(folder)).toEqual(['state.sqlite'])
  })

  it('is refused too where only its write-ahead log is newer', () => {
    const source = filledFolder()
    const folder = temporaryFolder()
    const handle = openHandle(stateFile(source))
    handle.pragma(`user_version = ${known + 1}`)
    for (const end of ['', '-wal']) copyFileSync(stateFile(source) + end, stateFile(folder) + end)
    handle.close()
    const bytes = () => ['', '-wal'].map((end) => readFileSync(stateFile(folder) + end))
    const before = bytes()
    const state = openState(folder)
    state.close()
    expect(state.opening.kind).toBe('newer')
    expect(bytes()).toEqual(before)
  })
})

describe('a mistake of a migration', () => {
  const next = {
    ...stateSchema,
    migrations: [
      ...stateSchema.migrations,
      { version: known + 1, sql: 'CREATE UNIQUE INDEX one ON accounts (kind)' },
    ],
  }

  it('is no damage: the file stays, and an empty one in memory serves the session', () => {
    const folder = filledFolder()
    const before = readFileSync(stateFile(folder))
    const open = openFile({ file: stateFile(folder), schema: next })
    expect(open.opening).toEqual({ kind: 'incompatible' })
    expect(listAccounts(open.database)).toEqual([])
    putAccount(open.database, account())
    open.close()
    expect(readFileSync(stateFile(folder)).equals(before)).toBe(true)
    expect(filesIn(folder)).toEqual(['state.sqlite'])
    expect(namesOf(openState(folder))).toEqual(['Acme', 'Second'])
  })

  it('leaves a file alone whose backup could not be made', () => {
    const folder = filledFolder()
    const beforeMigrating = () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    }
    const schema = {
      ...next,
      migrations: [...stateSchema.migrations, { version: known + 1, sql: 'CREATE TABLE b (c)' }],
    }
    const open = openFile({ file: stateFile(folder), schema, beforeMigrating })
    expect(open.opening).toMatchObject({ kind: 'unwritable', failure: { kind: 'disk' } })
    open.close()
    expect(openState(folder).opening.kind).toBe('ready')
  })
})

describe('a damaged file', () => {
  /** Opens a folder whose file is damaged, on a later day. */
  function reopen(folder: string) {
    const state = openState(folder, monday + 3 * day)
    if (state.opening.kind !== 'ready' || state.opening.news?.kind !== 'restored')
      throw new Error(`Not brought back: ${JSON.stringify(state.opening)}`)
    return { state, news: state.opening.news }
  }

  it.each<[string, (file: string) => void]>([
    ['is no database', (file) => writeFileSync(file, 'This is no database at all. '.repeat(100))],
    ['was cut short', (file) => truncateSync(file, 40_000)],
    [
      'has a torn header',
      (file) => {
        const bytes = readFileSync(file)
        writeFileSync(file, bytes.fill(0xff, 100, 4096))
      },
    ],
    // SQLite file format, section 1.3: no version writes these.
    ...[
      ['has a header that asks for another way of writing', 18] as const,
      ['has a header that asks for another form of the schema', 46] as const,
    ].map(([name, at]): [string, (file: string) => void] => [
      name,
      (file) => writeFileSync(file, readFileSync(file).fill(5, at, at + 1)),
    ]),
    [
      'lacks a table',
      (file) => {
        const handle = openHandle(file)
        handle.exec('DROP TABLE downloads')
        handle.close()
      },
    ],
    [
      'calls a column otherwise',
      (file) => {
        const handle = openHandle(file)
        handle.exec('ALTER TABLE accounts RENAME COLUMN body_encoding TO body_encodinf')
        handle.close()
      },
    ],
    [
      'has tables that no version made',
      (file) => {
        const handle = openHandle(file)
        handle.pragma('user_version = 0')
        handle.close()
      },
    ],
  ])('that %s is set aside whole, and its backup takes its place', (_, damage) => {
    const folder = filledFolder()
    damage(stateFile(folder))
    const damaged = readFileSync(stateFile(folder))
    const { state, news } = reopen(folder)
    expect(news).toEqual({
      kind: 'restored',
      movedTo: 'state.damaged-2026-11-19T08-30-00-250Z.sqlite',
      backup: monday,
    })
    expect(readFileSync(join(folder, news.movedTo ?? '')).equals(damaged)).toBe(true)
    expect(namesOf(state)).toEqual(['Acme', 'Second'])
    expect(readSettings(state.open.database).activeAccount).toBe(secondId)
    state.close()
    expect(openState(folder).opening).toEqual({ kind: 'ready', news: null })
  })

  it('that is found while it is used is replaced, and what was asked is answered from the backup', () => {
    const folder = filledFolder()
    const bytes = readFileSync(stateFile(folder))
    writeFileSync(stateFile(folder), bytes.fill(0xa5, 8_192))
    expect(isSound(stateFile(folder))).toBe(false)
    const heard: StateNews[] = []
    const state = openState(folder, monday + day, heard)
    expect(state.run(readSettings).lastView).toHaveLength(50_000)
    expect([...heard, state.opening.kind === 'ready' && state.opening.news]).toContainEqual(
      expect.objectContaining({ kind: 'restored', backup: monday }),
    )
  })

  it('comes back from an older backup where the newest is damaged too', () => {
    const folder = filledFolder()
    const state = openState(folder, monday + 2 * day)
    state.run((database) => putAccount(database, account({ name: 'Renamed' })))
    state.maintain()
    state.close()
    const [newest] = backupsIn(folder)
    truncateSync(newest?.path ?? '', 20_000)
    writeFileSync(stateFile(folder), 'no database')
    expect(reopen(folder).news.backup).toBe(monday)
  })

  it('without a backup begins empty', () => {
    const folder = filledFolder()
    rmSync(join(folder, 'backups'), { recursive: true })
    writeFileSync(stateFile(folder), 'no database')
    const { state, news } = reopen(folder)
    expect(news).toMatchObject({ backup: null, movedTo: expect.stringContaining('damaged') })
    expect(namesOf(state)).toEqual([])
  })

  it('that is gone comes back too, also where only its log was left', () => {
    const folder = filledFolder()
    rmSync(stateFile(folder))
    writeFileSync(`${stateFile(folder)}-wal`, 'what was left')
    const { state, news } = reopen(folder)
    expect(news).toMatchObject({ backup: monday })
    expect(namesOf(state)).toEqual(['Acme', 'Second'])
  })

  it('is kept aside for 30 days', () => {
    const folder = filledFolder()
    writeFileSync(stateFile(folder), 'no database')
    reopen(folder).state.close()
    const aside = () => filesIn(folder).filter((name) => name.includes('damaged'))
    const maintain = (days: number) => sessionFor(folder, { now: () => monday + days * day }).maintain()
    maintain(32)
    expect(aside()).toHaveLength(1)
    maintain(34)
    expect(aside()).toEqual([])
  })
})

describe('backups', () => {
  const rename = (state: StateFile, name: string) =>
    state.run((database) => putAccount(database, account({ id: firstId, name })))
  const moments = (folder: string) => backupsIn(folder).map(({ madeAt }) => (madeAt - monday) / day)

  it('are made once a day, where something changed, and the last three are kept', () => {
    const folder = temporaryFolder()
    const at = (days: number, name: string) => {
      const state = openState(folder, monday + days * day)
      rename(state, name)
      state.maintain()
      state.close()
    }
    at(0, 'first')
    at(0.5, 'the same day')
    expect(moments(folder)).toEqual([0])
    for (const days of [1, 2, 3, 4]) at(days, `day ${days}`)
    expect(moments(folder)).toEqual([4, 3, 2])
    // What is the same is the same backup, true for longer.
    at(6, 'day 4')
    expect(moments(folder)).toEqual([6, 3, 2])
    expect(readdirSync(join(folder, 'backups')).sort()).toEqual([
      'state-2026-11-18T08-30-00-250Z.sqlite',
      'state-2026-11-19T08-30-00-250Z.sqlite',
      'state-2026-11-22T08-30-00-250Z.sqlite',
    ])
    for (const { path } of backupsIn(folder)) expect(isSound(path)).toBe(true)
  })

  it('are not made before there is an account, and then without waiting for the next day', () => {
    const folder = temporaryFolder()
    const state = openState(folder)
    state.maintain()
    expect(moments(folder)).toEqual([])
    rename(state, 'first')
    state.maintain()
    expect(moments(folder)).toEqual([0])
  })

  it('are made while the log holds what is newest, and hold it', () => {
    const folder = temporaryFolder()
    const state = openState(folder)
    rename(state, 'Quillfeather')
    expect(existsSync(`${stateFile(folder)}-wal`)).toBe(true)
    state.maintain()
    const [backup] = backupsIn(folder)
    expect(readFileSync(backup?.path ?? '').includes('Quillfeather')).toBe(true)
  })

  it('are made before the form of the file is changed', () => {
    const folder = filledFolder()
    const made: string[] = []
    const schema = {
      ...stateSchema,
      migrations: [...stateSchema.migrations, { version: known + 1, sql: 'DELETE FROM accounts' }],
    }
    const beforeMigrating = () => made.push(basename(stateFile(folder)))
    openFile({ file: stateFile(folder), schema, beforeMigrating }).close()
    openFile({ file: stateFile(folder), schema, beforeMigrating }).close()
    expect(made).toEqual(['state.sqlite'])
  })

  it('that was broken off counts as none', () => {
    const folder = filledFolder()
    writeFileSync(join(folder, 'backups', 'being-made.sqlite'), 'half')
    const state = openState(folder, monday + 2 * day)
    rename(state, 'changed')
    state.maintain()
    expect(moments(folder)).toEqual([2, 0])
    expect(readdirSync(join(folder, 'backups'))).toHaveLength(2)
  })
})
