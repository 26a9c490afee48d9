import { describe, expect, it } from 'vitest'
import { currentVersion, migrate, migrations, versionOf } from '../../../../src-main/store/migrate.ts'
import { DamagedFile } from '../../../../src-main/store/trouble.ts'
import { databaseOfVersion } from './helpers.ts'

const insertAccount = `INSERT INTO accounts VALUES ('a', 'Acme', 'service', 'https://a.example', 'json', 'UTC')`

describe('migrations', () => {
  it('are numbered without a gap', () => {
    expect(migrations.map((each) => each.version)).toEqual(migrations.map((_, index) => index + 1))
  })

  it('0001 makes accounts and settings, from nothing', () => {
    const handle = databaseOfVersion(0)
    migrate(handle, 1)
    handle.exec(`${insertAccount}; INSERT INTO settings VALUES ('lastView', '"/"')`)
    expect(versionOf(handle)).toBe(1)
    expect(() =>
      handle.exec(`INSERT INTO accounts VALUES ('b', NULL, 'service', 'x', 'json', 'UTC')`),
    ).toThrow()
  })

  it('0002 adds answers and leaves accounts and settings as they are', () => {
    const handle = databaseOfVersion(1)
    handle.exec(`${insertAccount}; INSERT INTO settings VALUES ('lastView', '"/"')`)
    migrate(handle, 2)
    expect(handle.prepare('SELECT name FROM accounts').pluck().all()).toEqual(['Acme'])
    expect(handle.prepare('SELECT value FROM settings').pluck().all()).toEqual(['"/"'])
    handle.exec(`INSERT INTO answers VALUES ('a', 'k', 'p', NULL, NULL, 1, '{}')`)
    handle.exec(`DELETE FROM accounts`)
    expect(handle.prepare('SELECT count(*) FROM answers').pluck().get()).toBe(0)
  })

  it('0003 forgets answers that were kept under the numbers of columns', () => {
    const handle = databaseOfVersion(2)
    handle.exec(insertAccount)
    for (const path of ['direct/browsers', 'direct/overview', 'interface/instances'])
      handle.exec(`INSERT INTO answers VALUES ('a', '${path}', '${path}', NULL, NULL, 1, '{}')`)
    migrate(handle, 3)
    const paths = handle.prepare('SELECT path FROM answers ORDER BY path').pluck().all()
    expect(paths).toEqual(['direct/overview', 'interface/instances'])
    expect(handle.prepare('SELECT window_tables, first_column FROM accounts').all()).toEqual([
      { window_tables: null, first_column: null },
    ])
  })

  it('0004 adds kept tables, which go with their account, and whose pages go with them', () => {
    const handle = databaseOfVersion(3)
    handle.exec(`INSERT INTO accounts (id, name, kind, address, body_encoding, day_zone)
      VALUES ('a', 'Acme', 'service', 'https://a.example', 'json', 'UTC')`)
    migrate(handle, 4)
    const keep = (id: number, whole: number) => {
      handle.exec(`INSERT INTO kept_tables VALUES (${id}, 'a', 's', '2026-11-01', '2026-11-01', ${whole}, 1, 1, 1, '{}');
        INSERT INTO kept_pages VALUES (${id}, 0, x'00')`)
    }
    keep(1, 0)
    keep(2, 1)
    expect(() => {
      keep(3, 1)
    }).toThrow()
    handle.exec('DELETE FROM accounts')
    expect(handle.prepare('SELECT count(*) FROM kept_pages').pluck().get()).toBe(0)
  })

  it('0009 makes each account the owner of what was kept for it, and takes nothing away', () => {
    const handle = databaseOfVersion(8)
    handle.exec(`INSERT INTO accounts (id, name, kind, address, body_encoding, day_zone)
      VALUES ('a', 'Acme', 'service', 'https://a.example', 'json', 'UTC');
      INSERT INTO answers VALUES ('a', 'k', 'direct/overview', NULL, NULL, 1, '{}');
      INSERT INTO kept_tables VALUES (1, 'a', 's', '2026-11-01', '2026-11-01', 1, 1, 1, 1, '{}');
      INSERT INTO kept_pages VALUES (1, 0, x'00')`)
    migrate(handle, 9)
    const count = (table: string) => handle.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
    expect(['owners', 'answers', 'kept_tables', 'kept_pages'].map(count)).toEqual([1, 1, 1, 1])
    expect(handle.prepare('SELECT id, account, scope, until FROM owners').all()).toEqual([
      { id: 'a', account: 'a', scope: null, until: null },
    ])
    handle.exec('DELETE FROM accounts')
    expect(['owners', 'answers', 'kept_tables', 'kept_pages'].map(count)).toEqual([0, 0, 0, 0])
  })

  it('leave a current file alone', () => {
    const handle = databaseOfVersion(currentVersion)
    const before = handle.serialize()
    migrate(handle)
    expect(handle.serialize().equals(before)).toBe(true)
  })

  it('are whole or not at all', () => {
    const handle = databaseOfVersion(1)
    handle.exec('CREATE TABLE answers_by_path (a)')
    expect(() => migrate(handle)).toThrow(DamagedFile)
    expect(versionOf(handle)).toBe(1)
    const tables = handle.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all()
    expect(tables).not.toContain('answers')
  })

  it('refuse a file that says a version whose tables it does not have', () => {
    const handle = databaseOfVersion(0)
    handle.pragma(`user_version = ${currentVersion}`)
    expect(() => migrate(handle)).toThrow(DamagedFile)
  })
})
