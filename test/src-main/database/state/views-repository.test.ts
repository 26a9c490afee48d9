import { describe, expect, it, onTestFinished } from 'vitest'
import { putAccount } from '#main/database/state/accounts-repository.ts'
import { removeAccount } from '#main/database/state/data-scopes-repository.ts'
import {
  freeName,
  addView,
  addViews,
  changeView,
  listViews,
  removeView,
} from '#main/database/state/views-repository.ts'
import { openStore } from '#main/database/open-store.ts'
import type { SavedView, SavedViewId } from '#shared/views/saved-views.ts'
import { account, firstId, openFor, secondId, temporaryFolder, workerFile } from '../helpers.ts'

const idOf = (number: number) => `33333333-3333-4333-8333-${String(number).padStart(12, '0')}` as SavedViewId

const view = (number: number, changes: Partial<SavedView> = {}): SavedView => ({
  id: idOf(number),
  name: `View ${number}`,
  address: '#/overview',
  pinned: false,
  depth: null,
  start: false,
  ...changes,
})

function databaseWithAccounts() {
  const { database } = openFor(temporaryFolder())
  putAccount(database, account())
  putAccount(database, account({ id: secondId, name: 'Other' }))
  return database
}

describe('saved views on the disk', () => {
  it('come back as they were put, in their order', () => {
    const database = databaseWithAccounts()
    const views = [view(2, { name: 'B "é 中', pinned: true }), view(1, { start: true })]
    for (const each of views) addView(database, { account: firstId, view: each })
    expect(listViews(database, firstId)).toEqual(views)
    expect(listViews(database, secondId)).toEqual([])
  })

  it('pass over a row that is no view; what is new stands beside it', () => {
    const database = databaseWithAccounts()
    database.write(
      `INSERT INTO saved_views (id, account, name, address, pinned, start, place)
       VALUES ('no id', ?, 'View 1', '#/overview', 7, 3, 0)`,
      firstId,
    )
    expect(listViews(database, firstId)).toEqual([])
    expect(() => addView(database, { account: firstId, view: view(1) })).toThrow(
      'with this name already exists',
    )
    addView(database, { account: firstId, view: view(2) })
    expect(listViews(database, firstId)).toEqual([view(2)])
  })

  it('start with one view of an account at most', () => {
    const database = databaseWithAccounts()
    for (const number of [1, 2]) addView(database, { account: firstId, view: view(number) })
    addView(database, { account: secondId, view: view(3, { start: true }) })
    for (const number of [1, 2]) {
      changeView(database, { account: firstId, id: idOf(number), changes: { start: true } })
    }
    const starts = database.rows('SELECT id FROM saved_views WHERE start = 1 ORDER BY id').map(({ id }) => id)
    expect(starts).toEqual([idOf(2), idOf(3)])
    expect(() => database.write('UPDATE saved_views SET start = 1')).toThrow('UNIQUE')
  })

  it('go with their account', () => {
    const database = databaseWithAccounts()
    addView(database, { account: firstId, view: view(1) })
    addView(database, { account: secondId, view: view(2) })
    removeAccount(database, firstId)
    expect(database.rows('SELECT id FROM saved_views')).toEqual([{ id: idOf(2) }])
  })

  it('are added all together, or not at all', () => {
    const database = databaseWithAccounts()
    addView(database, { account: firstId, view: view(1) })
    const refused = [view(2), view(1, { name: 'View 1 of another account' })]
    database.write(
      'CREATE TRIGGER refuse BEFORE INSERT ON saved_views WHEN NEW.place = 2 BEGIN SELECT RAISE(ABORT, "no"); END',
    )
    expect(() => addViews(database, firstId, refused.concat(view(4)))).toThrow()
    expect(listViews(database, firstId)).toEqual([view(1)])
  })

  it('take no more than there is room for', () => {
    const database = databaseWithAccounts()
    const all = Array.from({ length: 1000 }, (_, number) => view(number))
    addViews(database, firstId, all)
    expect(() => addView(database, { account: firstId, view: view(1000) })).toThrow('can have 1,000 views')
    removeView(database, { account: firstId, id: idOf(500) })
    addView(database, { account: firstId, view: view(1000) })
    expect(listViews(database, firstId)).toEqual([...all.toSpliced(500, 1), view(1000)])
  })
})

describe('saved views in the store’s thread', () => {
  it('are refused in the same words as without it, and lie on the disk', async () => {
    const folder = temporaryFolder()
    const open = () => {
      const store = openStore({ folder, worker: workerFile })
      onTestFinished(() => store.close())
      return store
    }
    const store = open()
    await store.run('accounts/put', account())
    await store.run('views/add', { account: firstId, view: view(1, { pinned: true }) })
    await expect(
      store.run('views/add', { account: firstId, view: view(2, { name: 'View 1' }) }),
    ).rejects.toMatchObject({
      failure: { kind: 'invalid', field: 'name' },
    })
    await store.close()
    const again = open()
    expect(await again.run('views/pinned', undefined)).toEqual([
      { account: firstId, view: view(1, { pinned: true }) },
    ])
  })
})

describe('a free name', () => {
  it.each([
    ['A', [], 'A'],
    ['A', ['A'], 'A copy'],
    ['A', ['A', 'A copy'], 'A copy 2'],
    ['A copy', ['A copy'], 'A copy 2'],
    ['A copy 2', ['A', 'A copy', 'A copy 2'], 'A copy 3'],
    [' copy', [' copy'], ' copy copy'],
  ])('for %j beside %j is %j', (name, taken, free) => {
    expect(freeName(name, new Set(taken))).toBe(free)
  })
})
