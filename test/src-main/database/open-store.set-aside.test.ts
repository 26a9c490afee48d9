import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DataScopes } from '#main/accounts/data-scopes.ts'
import { historyFolder } from '#main/analytics/history-layout.ts'
import { openHandle } from '#main/database/sqlite/database.ts'
import type { Handle } from '#main/database/sqlite/database.ts'
import { leavingFile } from '#main/database/state/moving.ts'
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { SavedViewId } from '#shared/views/saved-views.ts'
import { choose, putFigures } from '#test/src-main/backup/made-backups.ts'
import { account, firstId, secondId, sessionFor, storeOver, temporaryFolder } from './helpers.ts'

const day = 86_400_000
const now = () => Date.parse('2026-11-16T08:30:00.250Z')
const earlier = 'eeeeeeee-eeee-4eee-8eee-eeeeeeeeeeee' as DataScopeId

/** Two accounts with a view each; the first has an earlier data scope and a present one. */
function fill(folder: string, at = now): void {
  const session = sessionFor(folder, { now: at })
  for (const [id, name] of [
    [firstId, 'Quillfeather'],
    [secondId, 'Marigold'],
  ] as const) {
    session.run('accounts/put', account({ id, name }))
    const view = { id: id as string as SavedViewId, name: `View of ${name}`, address: '/reports' }
    session.run('views/add', { account: id, view: { ...view, pinned: false, depth: null, start: false } })
  }
  take(session, 'one', firstId as string as DataScopeId)
  take(session, 'two', earlier)
  session.maintain()
  session.close()
}

const take = (session: ReturnType<typeof sessionFor>, scope: string, newId: DataScopeId) =>
  session.run('data-scopes/take', {
    account: firstId,
    scope: { origin: 'https://reports.example', scope, instances: 1 },
    now: now() as Instant,
    newId,
  })

/** A profile that a backup was restored in, a day later: what was there before is set aside, and there are backups of both. */
async function restored(backupOf: (folder: string) => void) {
  const [folder, source] = [temporaryFolder(), temporaryFolder()]
  fill(folder)
  backupOf(source)
  const from = sessionFor(source, { now })
  from.run('backup/write', undefined)
  from.close()
  const session = sessionFor(folder, { now })
  await choose(folder, leavingFile(source))
  session.run('backup/agree', undefined)
  session.close()
  const later = () => now() + day
  sessionFor(folder, { now: later }).close()
  writeFileSync(join(folder, 'state.damaged-2026-11-16T08-00-00-000Z.sqlite'), 'damaged')
  return { folder, later }
}

/** The copies of the state in a profile, each with its bytes. */
function copiesIn(folder: string): ReadonlyMap<string, Buffer> {
  const backups = readdirSync(join(folder, 'backups')).map((name) => join('backups', name))
  const aside = readdirSync(folder).filter((name) => /^state\.(replaced|damaged)-.*\.sqlite$/.test(name))
  return new Map([...aside, ...backups].sort().map((name) => [name, readFileSync(join(folder, name))]))
}

const isReplaced = (name: string) => name.startsWith('state.replaced')

function inCopy<T>(folder: string, name: string, work: (handle: Handle) => T): T {
  const handle = openHandle(join(folder, name))
  try {
    return work(handle)
  } finally {
    handle.close()
  }
}

const column = (folder: string, name: string, sql: string) =>
  inCopy(folder, name, (handle) => handle.prepare(sql).pluck().all())

describe('copies of the state', () => {
  it('lose an account that is removed, and nothing else', async () => {
    const { folder, later } = await restored(fill)
    const before = copiesIn(folder)
    expect([...before.keys()].filter((name) => !name.includes('damaged'))).toHaveLength(3)
    sessionFor(folder, { now: later }).run('accounts/remove', firstId)
    const after = copiesIn(folder)
    expect([...after.keys()]).toEqual([...before.keys()].filter((name) => !name.includes('damaged')))
    for (const [name, bytes] of after) {
      expect(bytes.includes('Quillfeather'), name).toBe(false)
      expect(column(folder, name, 'SELECT name FROM accounts'), name).toEqual(['Marigold'])
      expect(column(folder, name, 'SELECT name FROM saved_views'), name).toEqual(['View of Marigold'])
      expect(column(folder, name, 'SELECT id FROM data_scopes'), name).toEqual([secondId])
    }
  })

  it('lose earlier figures that are removed by hand, and not their account', async () => {
    const { folder, later } = await restored(fill)
    sessionFor(folder, { now: later }).run('data-scopes/remove', {
      dataScopes: [firstId as string as DataScopeId],
    })
    for (const name of copiesIn(folder).keys()) {
      expect(column(folder, name, 'SELECT name FROM accounts'), name).toEqual(['Quillfeather', 'Marigold'])
      expect(column(folder, name, 'SELECT id FROM data_scopes ORDER BY id'), name).toEqual([
        secondId,
        earlier,
      ])
    }
  })

  it('stay to the byte where they know nothing of an account that is removed', async () => {
    const third = '33333333-3333-4333-8333-333333333333' as AccountId
    const { folder, later } = await restored(fill)
    const before = copiesIn(folder)
    const session = sessionFor(folder, { now: later })
    session.run('accounts/put', account({ id: third, name: 'Third' }))
    session.run('accounts/remove', third)
    const after = copiesIn(folder)
    for (const [name, bytes] of before)
      if (!name.includes('damaged')) expect(after.get(name)?.equals(bytes), name).toBe(true)
  })

  it('stay to the byte where earlier data scopes go of which nothing is kept', async () => {
    const { folder, later } = await restored(fill)
    const before = copiesIn(folder)
    const session = sessionFor(folder, { now: later })
    const dataScopes = new DataScopes(storeOver(session))
    await dataScopes.open()
    expect(dataScopes.list().map(({ id }) => id)).toEqual([earlier, secondId])
    expect(session.run('data-scopes/list', undefined)).toEqual(dataScopes.list())
    session.maintain()
    expect(copiesIn(folder)).toEqual(before)
    // They know the account still by the data scope that went.
    session.run('accounts/remove', firstId)
    for (const [name, bytes] of copiesIn(folder)) expect(bytes.includes('Quillfeather'), name).toBe(false)
  })

  it('take figures along that they alone knew of, with their account', async () => {
    const { folder, later } = await restored((source) => {
      const session = sessionFor(source, { now })
      session.run('accounts/put', account({ name: 'Quillfeather' }))
      session.close()
    })
    putFigures(folder, 'Of two', earlier)
    putFigures(folder, 'Of another', secondId)
    mkdirSync(join(folder, 'rows', `account=${earlier}`), { recursive: true })
    sessionFor(folder, { now: later }).run('accounts/remove', firstId)
    expect(readdirSync(historyFolder(folder))).toEqual([`account=${secondId}`])
    expect(existsSync(join(folder, 'rows', `account=${earlier}`))).toBe(false)
  })

  it('that cannot be looked through keep at most the ids of others', async () => {
    const { folder, later } = await restored(fill)
    for (const name of copiesIn(folder).keys())
      if (!name.includes('damaged')) inCopy(folder, name, (handle) => handle.pragma('user_version = 9000'))
    sessionFor(folder, { now: later }).run('accounts/remove', firstId)
    const [aside = '', ...others] = copiesIn(folder).keys()
    expect([isReplaced(aside), others]).toEqual([true, []])
    expect(column(folder, aside, 'SELECT id FROM data_scopes')).toEqual([secondId])
    expect(column(folder, aside, 'SELECT name FROM sqlite_schema')).toEqual(['data_scopes', 'removals'])
  })

  it('that were set aside are restored like a backup, without what was removed since', async () => {
    const { folder, later } = await restored(fill)
    const session = sessionFor(folder, { now: later })
    session.run('accounts/remove', firstId)
    const [aside = ''] = [...copiesIn(folder).keys()].filter(isReplaced)
    await choose(folder, join(folder, aside))
    session.run('backup/agree', undefined)
    session.close()
    const again = sessionFor(folder, { now: later })
    expect(again.opening).toMatchObject({ news: { kind: 'moved' } })
    expect(again.run('accounts/list', undefined).map(({ name }) => name)).toEqual(['Marigold'])
  })
})
