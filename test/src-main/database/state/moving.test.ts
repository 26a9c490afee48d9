import { appendFileSync, copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openHandle, writerOver } from '#main/database/sqlite/database.ts'
import type { Handle } from '#main/database/sqlite/database.ts'
import { currentVersion } from '#main/database/sqlite/migrate.ts'
import { listAccounts, putAccount } from '#main/database/state/accounts-repository.ts'
import {
  agreeToBackup,
  checkBackup,
  chosenFile,
  dropBackup,
  writeBackup,
} from '#main/database/state/moving.ts'
import { stateFile, stateSchema } from '#main/database/state/schema.ts'
import { listNotes, noteOperations } from '#main/database/state/notes-repository.ts'
import {
  readSettings,
  writePublishing,
  writeSettings,
  updateOperations,
} from '#main/database/state/settings-repository.ts'
import { noUpdates } from '#shared/app/settings.ts'
import { day } from '#shared/values/day.ts'
import type { DayNote, NoteId } from '#shared/watch/notes.ts'
import { StateFile } from '#main/database/state/state-file.ts'
import type { UpdateRecord } from '#main/database/state/settings-repository.ts'
import { alertOperations } from '#main/database/state/alerts-repository.ts'
import { findingOperations } from '#main/database/state/findings-repository.ts'
import { account, firstId, perform, secondId, temporaryFolder } from '../helpers.ts'
import type { StoredRun } from '#main/database/state/schedules-repository.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { ScheduleId } from '#shared/watch/schedules.ts'
import { alert, alertIdOf, entryWith, episode, news } from './watch.ts'

const now = Date.parse('2026-11-16T08:30:00.250Z')

function openState(folder: string): StateFile {
  const state = new StateFile(
    folder,
    () => now,
    () => undefined,
  )
  onTestFinished(() => state.close())
  return state
}

const note: DayNote = {
  ...{ id: '44444444-4444-4444-8444-444444444444' as NoteId, text: 'Partner paused' },
  ...{
    range: { start: day('2026-11-10'), end: day('2026-11-12') },
    subject: { kind: 'account' },
    leavesOut: true,
  },
}

const scheduleId = '55555555-5555-4555-8555-555555555555' as ScheduleId
const begun = {
  ...{ item: 'v', folder: '/home/other', draft: 'd.part', name: 'run-me.desktop', size: 1, oldest: null },
  isNamed: true,
}
const run = {
  ...{ account: firstId, schedule: scheduleId, dueAt: 1 as Instant, takenAt: 1 as Instant, toldAt: null },
  ...{ changedAt: 1 as Instant, files: [begun] },
}
const scheduleRuns: readonly StoredRun[] = [
  { ...run, day: day('2026-11-12'), state: { kind: 'making' } },
  {
    ...{ ...run, day: day('2026-11-11') },
    state: { kind: 'made', at: 1 as Instant, files: ['run-me.desktop'], late: false, oldest: null },
  },
]

const found = news('a')
const { isWorse: _, ...listed } = found

const namesOf = (state: StateFile) => state.run(listAccounts).map(({ name }) => name)

/** A backup, written while its state was open; `change` makes it what a person may be given by somebody else. */
function backup(change: (handle: Handle) => void = () => undefined): string {
  const folder = temporaryFolder()
  const state = openState(folder)
  state.run((database) => {
    putAccount(database, account({ name: 'Moved' }))
    database.write(
      `INSERT INTO downloads (id, account, report, place, name, folder, file, added_at, state)
       VALUES ('d', ?, 'r', 1, 'n', '/home/other', 'run-me.desktop', 0, '{}')`,
      firstId,
    )
    noteOperations['notes/add'](database, { account: firstId, note })
    alertOperations['alerts/add'](database, { account: firstId, alert: alert(1) })
    findingOperations['watch/record'](database, {
      ...{ account: firstId, alert: alertIdOf(1), revision: 0, dataScope: null, morning: day('2026-11-14') },
      ...{ episodes: [episode('a')], news: [found], withdrawn: [] },
    })
    const schedule = { ...entryWith({ folder: '/home/other' }), id: scheduleId, account: firstId }
    const since = 5 as Instant
    perform(database, 'schedules/put', { schedule: { ...schedule, since }, isNew: true })
    perform(database, 'schedule-runs/add', scheduleRuns)
    database.write(`INSERT INTO removals VALUES ('../../..')`)
    writeSettings(database, { theme: 'dark', downloadFolder: '/home/other', startAtLogin: true })
    writePublishing(database, firstId, { folder: '/home/other', directory: 'account=a', last: null })
  })
  const file = join(folder, 'made.sqlite')
  writeBackup(state.open.handle, file)
  const handle = openHandle(file)
  change(handle)
  handle.close()
  return file
}

/** A profile with an account of its own, closed. */
function otherProfile(): string {
  const folder = temporaryFolder()
  const state = openState(folder)
  state.run((database) => putAccount(database, account({ id: secondId, name: 'Before' })))
  state.close()
  return folder
}

/** Writes an object into the schema itself, where a name is taken that no statement may give. */
const smuggle = (name: string, table: string, sql: string) => (handle: Handle) => {
  handle.unsafeMode(true)
  handle.pragma('writable_schema = ON')
  handle.exec(sql.replace(name, 'own'))
  handle
    .prepare(`UPDATE sqlite_schema SET name = ?, tbl_name = ?, sql = ? WHERE name = 'own'`)
    .run(name, table, sql)
}

const planted = `INSERT OR IGNORE INTO downloads (id, account, report, place, name, folder, file, added_at, state)
  VALUES ('planted', '${firstId}', 'r', 1, 'n', '/home/other', 'run-me.desktop', 0, '{}');`

function choose(folder: string, file: string) {
  copyFileSync(file, chosenFile(folder))
  return checkBackup(folder, now)
}

/** What would be left of a backup that is not gone on with. */
const leftIn = (folder: string) => readdirSync(folder).filter((name) => /chosen|next/.test(name))

describe('a backup that is restored', () => {
  it('is named by its accounts, and opened by the next start, in place of what is set aside', () => {
    const folder = otherProfile()
    expect(choose(folder, backup())).toEqual({ accounts: ['Moved'] })
    expect(namesOf(openState(folder))).toEqual(['Before'])
    agreeToBackup(folder)

    const moved = openState(folder)
    const aside = 'state.replaced-2026-11-16T08-30-00-250Z.sqlite'
    expect(moved.opening).toEqual({ kind: 'ready', news: { kind: 'moved', movedTo: aside } })
    expect(namesOf(moved)).toEqual(['Moved'])
    expect(moved.run((database) => listNotes(database, firstId))).toEqual([note])
    const list = alertOperations['alerts/list']
    expect(moved.run((database) => list(database, firstId))).toEqual([alert(1)])
    const { findings } = moved.run((database) =>
      findingOperations['findings/list'](database, { others: 10, ids: [] }),
    )
    expect(findings).toMatchObject([{ ...listed, account: firstId }])
    expect(leftIn(folder)).toEqual([])
    moved.close()
    expect(openState(folder).opening).toEqual({ kind: 'ready', news: null })

    const before = openHandle(join(folder, aside), { readonly: true })
    expect(before.prepare('SELECT name FROM accounts').pluck().all()).toEqual(['Before'])
    before.close()
  })

  it('brings no folder, no file and no removal of another computer', () => {
    const folder = otherProfile()
    choose(folder, backup())
    agreeToBackup(folder)
    openState(folder).run((database) => {
      expect(readSettings(database)).toMatchObject({
        theme: 'dark',
        downloadFolder: null,
        startAtLogin: false,
      })
      for (const gone of ['downloads', 'removals', `settings WHERE key GLOB 'publishing:*'`])
        expect(database.row(`SELECT count(*) AS left FROM ${gone}`), gone).toEqual({ left: 0 })
    })
  })

  it('brings schedules that rest, name no folder and begin anew, and no run that waits', () => {
    const folder = otherProfile()
    choose(folder, backup())
    agreeToBackup(folder)
    openState(folder).run((database) => {
      expect(perform(database, 'schedules/list', firstId)).toEqual([
        { ...entryWith({ folder: null, paused: true }), id: scheduleId, account: firstId, since: now },
      ])
      const runs = perform(database, 'schedule-runs/list', {
        account: firstId,
        id: scheduleId,
        now: now as Instant,
      })
      expect(runs).toMatchObject([
        { state: { kind: 'missed' }, files: [] },
        { state: { kind: 'made' }, files: [] },
      ])
    })
  })

  it.each([
    ['of a year to come', { ...noUpdates, daily: false, newest: Date.parse('9999-01-01') }],
    ['of long ago', { ...noUpdates, newest: 1 }],
    ['of nothing', noUpdates],
  ])('leaves what this computer knows of updates as it is, whatever the backup knows: %s', (_, theirs) => {
    const own: UpdateRecord = { ...noUpdates, newest: now, announced: '1.2.0' }
    const write = updateOperations['updates/write']
    const theirBackup = () => backup((handle) => write(writerOver(handle), theirs))
    const read = (folder: string) => openState(folder).run(updateOperations['updates/read'])

    const folder = otherProfile()
    choose(folder, theirBackup())
    // It is looked for updates while the person is asked, too.
    const open = openState(folder)
    open.run((database) => write(database, own))
    agreeToBackup(folder)
    open.close()
    expect(read(folder)).toEqual(own)

    const fresh = otherProfile()
    choose(fresh, theirBackup())
    agreeToBackup(fresh)
    expect(read(fresh)).toEqual(noUpdates)
  })

  it('is put in place by the next start, where a crash came between setting aside and that', () => {
    const folder = otherProfile()
    choose(folder, backup())
    agreeToBackup(folder)
    const bytes = readFileSync(stateFile(folder))
    writeFileSync(join(folder, 'state.replaced-2026-11-16T08-29-00-000Z.sqlite'), bytes)
    for (const end of ['', '-wal', '-shm']) rmSync(stateFile(folder) + end, { force: true })
    expect(namesOf(openState(folder))).toEqual(['Moved'])
  })

  it('is forgotten with the journal that a power cut left beside it, which the next would be changed by', () => {
    const folder = otherProfile()
    choose(folder, backup())
    const journal = `${chosenFile(folder)}-journal`
    writeFileSync(journal, 'pages')
    dropBackup(folder)
    expect(readdirSync(folder).filter((name) => name.includes('chosen'))).toEqual([])
  })

  it('gives way to what was there before, where it does not open', () => {
    const folder = otherProfile()
    choose(folder, backup())
    agreeToBackup(folder)
    writeFileSync(join(folder, 'state.next.sqlite'), 'no database any more')
    const state = openState(folder)
    expect(state.opening).toEqual({ kind: 'ready', news: { kind: 'not-moved' } })
    expect(namesOf(state)).toEqual(['Before'])
    expect(readdirSync(folder).filter((name) => /next|replaced/.test(name))).toEqual([])
  })
})

describe('a file that is no backup', () => {
  const version = currentVersion(stateSchema)
  const noBackup = 'This file is no backup of Traffic Desk.'
  const damaged = 'This backup is damaged. Choose another one.'

  it.each<[string, (handle: Handle) => void, string]>([
    [
      'of a newer version',
      (handle) => handle.pragma(`user_version = ${version + 1}`),
      'This backup was made by a newer version of Traffic Desk. Install that version, then restore it.',
    ],
    ['of no version', (handle) => handle.pragma('user_version = 0'), noBackup],
    [
      'with a trigger',
      (handle) => handle.exec(`CREATE TRIGGER t AFTER INSERT ON settings BEGIN DELETE FROM accounts; END`),
      noBackup,
    ],
    ['with a view', (handle) => handle.exec('CREATE VIEW v AS SELECT * FROM accounts'), noBackup],
    [
      'with a trigger under a name of SQLite',
      smuggle(
        'sqlite_x',
        'settings',
        `CREATE TRIGGER sqlite_x AFTER DELETE ON settings BEGIN ${planted} END`,
      ),
      noBackup,
    ],
    [
      'with a view under a name of SQLite',
      smuggle('sqlite_x', 'sqlite_x', 'CREATE VIEW sqlite_x AS SELECT * FROM accounts'),
      noBackup,
    ],
    [
      'with a table under a name of SQLite',
      smuggle('sqlite_x', 'sqlite_x', 'CREATE TABLE sqlite_x (a)'),
      noBackup,
    ],
    [
      'with an index under a name of SQLite',
      smuggle('sqlite_x', 'settings', 'CREATE INDEX sqlite_x ON settings (value)'),
      noBackup,
    ],
    ['with another table', (handle) => handle.exec('CREATE TABLE more (a)'), noBackup],
    ['without one of our tables', (handle) => handle.exec('DROP TABLE removals'), noBackup],
    [
      'with a name that leads out of a folder',
      (handle) => handle.exec(`PRAGMA foreign_keys = OFF; UPDATE data_scopes SET id = '../../up'`),
      noBackup,
    ],
    [
      'with rows of no account',
      (handle) => handle.exec('PRAGMA foreign_keys = OFF; DELETE FROM accounts'),
      damaged,
    ],
  ])('%s is refused in words, and nothing is left of it', (_, change, words) => {
    const folder = otherProfile()
    const file = backup(change)
    expect(() => choose(folder, file)).toThrow(words)
    expect(leftIn(folder)).toEqual([])
    expect(namesOf(openState(folder))).toEqual(['Before'])
  })

  it.each<[string, (bytes: Buffer) => Buffer, string]>([
    ['empty', () => Buffer.alloc(0), noBackup],
    ['of another way of writing', (bytes) => Buffer.from(bytes).fill(5, 18, 19), noBackup],
    ['of another form of the schema', (bytes) => Buffer.from(bytes).fill(5, 46, 47), noBackup],
    ['text', () => Buffer.from('PK\u0003\u0004 or whatever'), noBackup],
    ['cut off', (bytes) => bytes.subarray(0, bytes.length >> 1), damaged],
    ['with a page of noughts', (bytes) => Buffer.from(bytes).fill(0, 4096, 8192), damaged],
  ])('that is %s is refused in words', (_, change, words) => {
    const folder = otherProfile()
    const file = backup()
    writeFileSync(file, change(readFileSync(file)))
    expect(() => choose(folder, file)).toThrow(words)
    expect(leftIn(folder)).toEqual([])
  })

  it('with something behind its end is restored as what it is', () => {
    const file = backup()
    appendFileSync(file, 'more')
    expect(choose(otherProfile(), file)).toEqual({ accounts: ['Moved'] })
  })

  it('cannot be agreed to', () => {
    expect(() => agreeToBackup(otherProfile())).toThrow('Choose it again.')
  })
})
