import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { historyFolder } from '#main/analytics/history-layout.ts'
import { cacheFile, cacheSchema, dataScopeTables } from '#main/database/cache/cache-schema.ts'
import { openHandle, writerOver } from '#main/database/sqlite/database.ts'
import { openOnDisk, placeFile } from '#main/database/sqlite/open-file.ts'
import { currentVersion, versionOf } from '#main/database/sqlite/migrate.ts'
import type { Schema } from '#main/database/sqlite/migrate.ts'
import { stateFile, stateSchema } from '#main/database/state/schema.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { choose, putFigures } from '#test/src-main/backup/made-backups.ts'
import { firstDataScope, firstId, secondId, sessionFor, temporaryFolder } from './helpers.ts'

const earlier = 'eeeeeeee-eeee-4eee-8eee-eeeeeeeeeeee' as DataScopeId
const gone = 'dddddddd-dddd-4ddd-8ddd-dddddddddddd' as DataScopeId
const lost = 'cccccccc-cccc-4ccc-8ccc-cccccccccccc' as DataScopeId

/** A schema as it was while a data scope was called an owner. */
const upTo = (schema: Schema, last: number): Schema => ({
  ...schema,
  migrations: schema.migrations.filter(({ version }) => version <= last),
})

/** A state of version 10 with two accounts. The first has an earlier data scope, and another one was removed. */
function oldState(file: string): void {
  const handle = openOnDisk({ file, schema: upTo(stateSchema, 10) })
  const into = writerOver(handle)
  for (const [id, name] of [
    [firstId, 'Quillfeather'],
    [secondId, 'Marigold'],
  ] as const)
    into.write(
      `INSERT INTO accounts (id, name, kind, address, body_encoding, day_zone)
       VALUES (?, ?, 'service', 'https://reports.example', 'json', 'UTC')`,
      ...[id, name],
    )
  for (const [id, account, scope, until] of [
    [earlier, firstId, 'one', 5],
    [firstId, firstId, 'two', null],
    [secondId, secondId, 'two', null],
  ] as const)
    into.write(
      `INSERT INTO owners (id, account, origin, scope, instances, since, until, looked_at, term, taken_at)
       VALUES (?, ?, 'https://reports.example', ?, 1, 3, ?, 4, 2, 3)`,
      ...[id, account, scope, until],
    )
  into.write(
    `INSERT INTO restatements
       (owner, subject, first_day, last_day, before_fetched_at, after_fetched_at, totals, rows, differing)
     VALUES (?, 's', '2026-11-01', '2026-11-01', 1, 2, '[]', '[]', 0)`,
    firstId,
  )
  into.write('INSERT INTO removals (owner) VALUES (?)', gone)
  handle.close()
}

/** A cache of version 6 with a row in every table. */
function oldCache(file: string): void {
  const handle = openOnDisk({ file, schema: upTo(cacheSchema, 6) })
  handle.exec(`
    INSERT INTO answers (owner, key, path, fetched_at, made_of, text) VALUES ('${firstId}', 'k', 'p', 4, '', '{}');
    INSERT INTO history_files VALUES ('f', '${firstId}', 7, 'x', 1);
    INSERT INTO kept_tables VALUES ('t', '${firstId}', 's', '2026-11-01', '2026-11-01', 1, 4, 1, 7, NULL, 'f', '{}');
    INSERT INTO provisional_tables
      VALUES ('u', '${firstId}', 's', '2026-11-01', '2026-11-01', 1, 5, 1, 7, NULL, 'f', '{}', '', 0, 5);
    INSERT INTO provisional_answers (owner, key, session, checks, arrived_at) VALUES ('${firstId}', 'k', '', 0, 4);
    INSERT INTO rows_files VALUES ('${firstId}', 'i', 'p', '{}');
    INSERT INTO looks VALUES ('${firstId}', '/reports', 4);
    INSERT INTO look_requests VALUES ('${firstId}', '2026-11-01', 3);`)
  handle.close()
}

const column = (file: string, sql: string): unknown[] => {
  const handle = openHandle(file, { readonly: true })
  try {
    return handle.prepare(sql).pluck().all()
  } finally {
    handle.close()
  }
}

const versionIn = (file: string): number => {
  const handle = openHandle(file, { readonly: true })
  try {
    return versionOf(handle)
  } finally {
    handle.close()
  }
}

describe('a profile that calls data scopes owners', () => {
  it('opens with all data scopes, restatements and removals', () => {
    const folder = temporaryFolder()
    oldState(stateFile(folder))
    const session = sessionFor(folder)
    expect(session.opening).toEqual({ kind: 'ready', news: null })
    const common = { since: 3, checkedAt: 4, term: 2, takenAt: 3 }
    const scope = { origin: 'https://reports.example', instances: 1 }
    const listed = session.run('data-scopes/list', undefined)
    expect(listed).toEqual([
      { ...common, id: earlier, account: firstId, until: 5, scope: { ...scope, scope: 'one' } },
      { ...common, id: firstId, account: firstId, until: null, scope: { ...scope, scope: 'two' } },
      { ...common, id: secondId, account: secondId, until: null, scope: { ...scope, scope: 'two' } },
    ])
    expect(session.run('restatements/marks', firstDataScope)).toHaveLength(1)
    const file = stateFile(folder)
    expect(column(file, 'SELECT data_scope FROM removals')).toEqual([gone])
    expect(
      column(file, `SELECT name FROM sqlite_schema WHERE lower(name || coalesce(sql, '')) GLOB '*owner*'`),
    ).toEqual([])
    session.maintain()
    expect(column(file, 'SELECT data_scope FROM removals')).toEqual([])
  })

  it('opens with every row of its cache', () => {
    const folder = temporaryFolder()
    oldState(stateFile(folder))
    oldCache(cacheFile(folder))
    const session = sessionFor(folder)
    expect(session.run('cache/state', undefined)).toBe('ready')
    expect(session.run('answers/read', { dataScope: firstDataScope, key: 'k' })?.text).toBe('{}')
    for (const table of dataScopeTables)
      expect(column(cacheFile(folder), `SELECT data_scope FROM ${table}`), table).toEqual([firstId])
    expect(session.run('tables/sizes-by-data-scope', undefined)).toMatchObject([
      { dataScope: firstId, bytes: 7, rows: 1, days: 1 },
    ])
    expect(session.run('tables/data-scopes', undefined)).toEqual([firstId])
    expect(session.run('answers/sizes', undefined)).toMatchObject([{ dataScope: firstId }])
  })

  it('is restored as a backup with the figures of its data scopes', async () => {
    const [folder, source] = [temporaryFolder(), temporaryFolder()]
    oldState(stateFile(source))
    await choose(folder, stateFile(source))
    const before = sessionFor(folder)
    before.run('backup/agree', undefined)
    before.close()
    const ids = sessionFor(folder)
      .run('data-scopes/list', undefined)
      .map(({ id }) => id)
    expect(ids).toEqual([earlier, firstId, secondId])
  })

  it('is no backup with an id that leads out of a folder', async () => {
    const [folder, source] = [temporaryFolder(), temporaryFolder()]
    oldState(stateFile(source))
    const handle = openHandle(stateFile(source))
    handle.exec(`UPDATE owners SET id = '../../up' WHERE id = '${earlier}'`)
    handle.close()
    await expect(choose(folder, stateFile(source))).rejects.toThrow('no backup of Traffic Desk')
  })
})

describe('copies that call data scopes owners', () => {
  const now = () => Date.parse('2026-11-16T08:30:00.250Z')
  const aside = 'state.replaced-2026-11-16T08-00-00-000Z.sqlite'

  /** A migrated profile with the backup from before, and a state of version 10 that was set aside. */
  function withCopies() {
    const folder = temporaryFolder()
    oldState(stateFile(folder))
    oldState(join(folder, aside))
    const session = sessionFor(folder, { now })
    const backups = readdirSync(join(folder, 'backups')).map((name) => join(folder, 'backups', name))
    expect(backups.map(versionIn)).toEqual([10])
    return { folder, session, copies: [...backups, join(folder, aside)] }
  }

  it('lose a removed account, and are of this version then', () => {
    const { session, copies } = withCopies()
    session.run('accounts/remove', firstId)
    for (const file of copies) {
      expect(column(file, 'SELECT name FROM accounts'), file).toEqual(['Marigold'])
      expect(column(file, 'SELECT id FROM data_scopes'), file).toEqual([secondId])
      expect(column(file, 'SELECT data_scope FROM restatements'), file).toEqual([])
      expect(versionIn(file), file).toBe(currentVersion(stateSchema))
    }
  })

  it('stay as they are where they know nothing of what is removed', () => {
    const { session, copies } = withCopies()
    session.run('data-scopes/remove', { dataScopes: [gone] })
    session.maintain()
    expect(copies.map(versionIn)).toEqual([10, 10])
  })

  it.each<[string, (file: string) => void]>([
    [
      'whole',
      (file) => {
        const handle = openHandle(file)
        handle.exec(`INSERT INTO owners (id, account, since, until) VALUES ('${lost}', '${firstId}', 1, 2)`)
        handle.close()
      },
    ],
    [
      'as mere ids',
      (file) => {
        const handle = openHandle(`${file}.made`)
        handle.exec(`CREATE TABLE owners (id TEXT); CREATE TABLE removals (owner TEXT);
          INSERT INTO owners VALUES ('${earlier}'), ('${lost}')`)
        handle.close()
        placeFile(`${file}.made`, file)
      },
    ],
  ])('protect the figures that they alone know of for 30 days, %s', (_, change) => {
    const { folder, session } = withCopies()
    session.close()
    change(join(folder, aside))
    for (const id of [earlier, gone, lost, secondId]) putFigures(folder, 'Figures', id)
    const foldersAfter = (days: number) => {
      const later = sessionFor(folder, { now: () => now() + days * 86_400_000 })
      later.maintain()
      later.close()
      return readdirSync(historyFolder(folder)).sort()
    }
    const [second, third, first] = [secondId, lost, earlier].map((id) => `account=${id}`)
    expect(foldersAfter(29)).toEqual([second, third, first])
    expect(readdirSync(folder)).toContain(aside)
    expect(foldersAfter(31)).toEqual([second, first])
    expect(readdirSync(folder)).not.toContain(aside)
  })
})
