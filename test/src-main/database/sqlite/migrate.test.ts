import { expect, it, onTestFinished, vi } from 'vitest'
import { cacheSchema } from '#main/database/cache/cache-schema.ts'
import { DamagedFile, openHandle } from '#main/database/sqlite/database.ts'
import type { Handle } from '#main/database/sqlite/database.ts'
import { checksumOf, columnsOf, currentVersion, migrate, versionOf } from '#main/database/sqlite/migrate.ts'
import { stateSchema } from '#main/database/state/schema.ts'

type Table = { readonly name: string; readonly sql: string }

function madeBy(schema: typeof stateSchema): Handle {
  const handle = openHandle(':memory:')
  onTestFinished(() => void handle.close())
  migrate(handle, schema)
  return handle
}

it.each([
  ['state', stateSchema],
  ['cache', cacheSchema],
])(
  'the checksum of the %s is that of its columns, so that a start need not create its tables to compare them',
  (_, schema) => {
    expect(checksumOf(columnsOf(madeBy(schema)))).toBe(schema.checksum)
  },
)

it.each([
  ['state', stateSchema],
  ['cache', cacheSchema],
])('a %s in which a turned bit gives a column another name is damaged, whichever it is', (_, schema) => {
  const tables = madeBy(schema)
    .prepare<[], Table>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`,
    )
    .all()
  expect(tables.length).toBeGreaterThan(5)
  for (const { name } of tables) {
    const handle = madeBy(schema)
    const columns = handle.prepare(`SELECT name FROM pragma_table_xinfo(?)`).pluck().all(name).map(String)
    for (const column of columns) {
      const turned = column.slice(0, -1) + String.fromCharCode(column.charCodeAt(column.length - 1) ^ 1)
      // SQLite itself sees nothing wrong.
      handle.exec(`ALTER TABLE "${name}" RENAME COLUMN "${column}" TO "${turned}"`)
      expect(handle.pragma('quick_check', { simple: true })).toBe('ok')
      expect(() => migrate(handle, schema), `${name}.${column}`).toThrow(DamagedFile)
      handle.exec(`ALTER TABLE "${name}" RENAME COLUMN "${turned}" TO "${column}"`)
    }
    migrate(handle, schema)
  }
})

it.each([
  ['state', stateSchema, 'removals'],
  ['cache', cacheSchema, 'answers'],
])('an older %s in which a turned bit gives a column another name is damaged too', (_, schema, name) => {
  const handle = madeBy({ ...schema, migrations: [] })
  handle.exec(`ALTER TABLE ${name} RENAME COLUMN owner TO ownes`)
  const before = vi.fn<() => void>()
  expect(() => migrate(handle, schema, before)).toThrow(DamagedFile)
  expect(before).not.toHaveBeenCalled()
  handle.exec(`ALTER TABLE ${name} RENAME COLUMN ownes TO owner`)
  migrate(handle, schema, before)
  expect(before).toHaveBeenCalledOnce()
})

it('versions may have gaps', () => {
  const { base, migrations } = stateSchema
  const [first, second, ...others] = migrations
  if (!first || !second) return expect.fail()
  const last = currentVersion(stateSchema)
  const gap = { base, migrations: [...migrations, { version: last + 2, sql: 'CREATE TABLE later (a)' }] }
  const handle = madeBy(stateSchema)
  migrate(handle, gap)
  expect(versionOf(handle)).toBe(last + 2)
  expect(currentVersion(gap)).toBe(last + 2)
  migrate(handle, gap)
  const older = madeBy({ base, migrations: [first, second] })
  migrate(older, { base, migrations: [first, second, ...others] })
  expect(versionOf(older)).toBe(last)
})

it('a file whose columns are written in other letters is as it was made', () => {
  const handle = madeBy(stateSchema)
  handle.exec('ALTER TABLE accounts RENAME COLUMN name TO Name')
  migrate(handle, stateSchema)
})
