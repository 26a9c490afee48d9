import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openHandle } from '#main/database/sqlite/database.ts'
import { migrate, versionOf } from '#main/database/sqlite/migrate.ts'
import type { Schema } from '#main/database/sqlite/migrate.ts'

const base = { version: 1, sql: 'CREATE TABLE days (day TEXT) STRICT' }
const migrations = [{ version: 2, sql: 'CREATE TABLE labels (label TEXT) STRICT' }]
const schema: Schema = { base, migrations }

/** Two processes that have one file open. */
function twoHandles() {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-twice-'))
  const [one, other] = [0, 1].map(() => openHandle(join(folder, 'cache.sqlite')))
  onTestFinished(() => {
    one?.close()
    other?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  if (!one || !other) throw new Error('Two handles')
  one.pragma('journal_mode = WAL')
  return { one, other }
}

it('a file that another process begins at the same moment is not taken for damaged', () => {
  const { one, other } = twoHandles()
  // By then the version has been read, and no step been done.
  const meanwhile: Schema = {
    ...schema,
    get migrations() {
      migrate(other, schema)
      other.exec(`INSERT INTO days VALUES ('2026-11-01')`)
      return migrations
    },
  }
  migrate(one, meanwhile)
  expect(versionOf(one)).toBe(2)
  expect(one.prepare('SELECT day FROM days').all()).toEqual([{ day: '2026-11-01' }])
})

it('a version is not read before and the tables after another process has begun the file', () => {
  const { one, other } = twoHandles()
  const pragma = one.pragma.bind(one)
  let isFirst = true
  one.pragma = (...asked) => {
    const answer: unknown = pragma(...asked)
    if (isFirst) migrate(other, schema)
    isFirst = false
    return answer
  }
  migrate(one, schema)
  expect(versionOf(one)).toBe(2)
})
