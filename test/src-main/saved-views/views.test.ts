import { describe, expect, it } from 'vitest'
import type { CallArgument } from '#shared/bridge/calls.ts'
import type { SavedViewId } from '#shared/views/saved-views.ts'
import { firstId, localStore, secondId, temporaryFolder } from '../database/helpers.ts'
import { browsers, overview, quiet, refusalOf, roomWith } from './helpers.ts'

const account = firstId
const plain = { account, name: 'Browsers', address: browsers, pinned: false }

const nobody = '99999999-9999-4999-8999-999999999999' as SavedViewId

async function withViews(...names: readonly string[]) {
  const room = await roomWith()
  for (const name of names) await room.views.save({ ...plain, name })
  room.events.splice(0)
  const list = () => room.views.list({ account })
  const namesNow = async () => (await list()).map(({ name }) => name)
  const idOf = async (name: string) => (await list()).find((each) => each.name === name)?.id ?? nobody
  return { ...room, list, namesNow, idOf }
}

describe('saving a view', () => {
  it('keeps it at the end of its account’s list, and tells of it', async () => {
    const { views, events, list } = await withViews('First')
    const saved = await views.save({ ...plain, name: '  Two \n words ' })
    expect(saved).toMatchObject({ name: 'Two words', address: browsers, pinned: false, start: false })
    expect(events).toEqual([account])
    expect((await list()).at(-1)).toEqual({ ...saved, stored: null, syncing: false, failure: null })
    expect(await views.list({ account: secondId })).toEqual([])
  })

  it('refuses a name that is taken at this account, blank or endless, and keeps nothing', async () => {
    const { views, namesNow, events } = await withViews('Browsers')
    for (const name of ['Browsers', ' Browsers ', '', ' \t', 'x'.repeat(201)]) {
      expect(await refusalOf(views.save({ ...plain, name }))).toMatchObject({
        kind: 'invalid',
        field: 'name',
      })
    }
    expect(await namesNow()).toEqual(['Browsers'])
    expect(events).toEqual([])
    await views.save({ ...plain, account: secondId })
  })

  it.each([
    '#/settings',
    '#/raw',
    '#/rows',
    '#/rows/nonsense',
    '#/nonsense',
    '#/reports/script/nonsense',
    '#/reports/direct/referrers',
    'https://elsewhere.example/#/overview',
    '#/overview?start=1900-01-01&end=2100-12-31',
    '#/overview?compare-start=1900-01-01&compare-end=2100-12-31',
  ])('refuses the address %s', async (address) => {
    const { views, list } = await withViews()
    expect(await refusalOf(views.save({ ...plain, address }))).toMatchObject({
      kind: 'invalid',
      field: 'address',
    })
    expect(await list()).toEqual([])
  })

  it('takes rows inside an archive, with what they are limited to', async () => {
    const { views } = await withViews()
    const address = '#/rows/report-R1?where=keep%3Ais%3ARESULT%3Abad&group=value%3ASOURCE'
    expect(await views.save({ ...plain, address })).toMatchObject({ address })
  })

  it('writes an address down in its one form', async () => {
    const { views } = await withViews()
    const address = '#/reports/script/browsers?page=1&period=yesterday&search='
    expect(await views.save({ ...plain, address })).toMatchObject({ address: browsers })
  })

  it('keeps what is not understood of an address, which is said where the view is opened', async () => {
    const { views } = await withViews()
    const address = '#/reports/script/browsers?period=2026-11-10..2026-11-21'
    expect(await views.save({ ...plain, address })).toMatchObject({ address })
    const long = `${browsers}&x=${'x'.repeat(8000)}`
    expect(await views.save({ ...plain, name: 'Long', address: long })).toMatchObject({ address: browsers })
  })

  it('keeps nothing for an account that is not there', async () => {
    const { views } = await withViews()
    const call = views.save({ ...plain, account: nobody as unknown as typeof account })
    expect(await refusalOf(call)).toMatchObject({ kind: 'invalid', field: 'account' })
  })
})

describe('changing a view', () => {
  it('changes what is given', async () => {
    const { views, idOf, list } = await withViews('A', 'B')
    const view = await idOf('A')
    expect(await views.change({ account, view, name: 'C', address: overview })).toEqual({
      id: view,
      name: 'C',
      address: overview,
      pinned: false,
      depth: null,
      start: false,
    })
    expect((await list()).map(({ name }) => name)).toEqual(['C', 'B'])
    expect(await views.change({ account, view, name: 'C' })).toMatchObject({ name: 'C' })
  })

  it('refuses what saving refuses, and a view that is not there; then it is as it was', async () => {
    const { views, idOf, list } = await withViews('A', 'B')
    const view = await idOf('A')
    const before = await list()
    const refused: readonly Omit<CallArgument<'views/change'>, 'account'>[] = [
      { view, name: 'B' },
      { view, name: ' ' },
      { view, address: '#/settings', name: 'C' },
      { view: nobody, name: 'C' },
    ]
    for (const changes of refused) {
      expect(await refusalOf(views.change({ account, ...changes }))).toMatchObject({ kind: 'invalid' })
    }
    expect(await refusalOf(views.change({ account: secondId, view, name: 'C' }))).not.toBeNull()
    expect(await list()).toEqual(before)
  })

  it('takes the start from the view that had it', async () => {
    const { views, idOf, list } = await withViews('A', 'B')
    await views.change({ account, view: await idOf('A'), start: true })
    await views.change({ account, view: await idOf('B'), start: true, address: overview })
    expect((await list()).map(({ start }) => start)).toEqual([false, true])
    expect(await views.startView(account)).toBe(overview)
    await views.change({ account, view: await idOf('B'), start: false })
    expect(await views.startView(account)).toBeNull()
  })
})

describe('duplicating a view', () => {
  it('puts copies with names of their own after it; a copy is neither pinned nor where the desk starts', async () => {
    const { views, idOf, namesNow } = await withViews('A', 'B')
    const view = await idOf('A')
    await views.change({ account, view, start: true, pinned: true })
    expect(await views.duplicate({ account, view })).toMatchObject({
      name: 'A copy',
      pinned: false,
      start: false,
    })
    await views.duplicate({ account, view })
    await views.duplicate({ account, view: await idOf('A copy') })
    expect(await namesNow()).toEqual(['A', 'A copy 2', 'A copy', 'A copy 3', 'B'])
    expect(await refusalOf(views.duplicate({ account, view: nobody }))).toMatchObject({ kind: 'invalid' })
  })
})

describe('removing a view', () => {
  it('is undone to the place where it was', async () => {
    const { views, idOf, list } = await withViews('A', 'B', 'C')
    await views.change({ account, view: await idOf('B'), start: true })
    const before = await list()
    const removed = await views.remove({ account, view: await idOf('B') })
    expect(removed.place).toBe(1)
    expect((await list()).map(({ name }) => name)).toEqual(['A', 'C'])
    await views.restore({ account, ...removed })
    expect(await list()).toEqual(before)
    await views.restore({ account, ...removed })
    expect(await list()).toEqual(before)
  })

  it('is undone under another name where its own has been given away, and gives way as the start view', async () => {
    const { views, idOf, list } = await withViews('A', 'B')
    await views.change({ account, view: await idOf('A'), start: true })
    const removed = await views.remove({ account, view: await idOf('A') })
    await views.change({ account, view: await idOf('B'), name: 'A', start: true })
    await views.restore({ account, ...removed })
    expect((await list()).map(({ name, start }) => [name, start])).toEqual([
      ['A copy', false],
      ['A', true],
    ])
  })

  it('is not undone with what a window made up', async () => {
    const { views, idOf, list } = await withViews('A')
    const { view } = await views.remove({ account, view: await idOf('A') })
    const settings = { ...view, address: '#/settings' }
    expect(await refusalOf(views.restore({ account, view: settings, place: 0 }))).not.toBeNull()
    const theirs = await views.save({ ...plain, account: secondId })
    expect(await refusalOf(views.restore({ account, view: theirs, place: 0 }))).not.toBeNull()
    expect(await list()).toEqual([])
    await views.restore({ account, view, place: 7_000 })
    expect(await list()).toHaveLength(1)
  })
})

describe('ordering views', () => {
  it('passes over ids that it does not know, and puts what is not named last', async () => {
    const { views, idOf, namesNow } = await withViews('A', 'B', 'C', 'D')
    const ids = [await idOf('D'), nobody, await idOf('B'), await idOf('D')]
    await views.order({ account, views: ids })
    expect(await namesNow()).toEqual(['D', 'B', 'A', 'C'])
  })
})

describe('saved views', () => {
  it('are there at the next start, in their order, and go with their account', async () => {
    const folder = temporaryFolder()
    const first = await roomWith({ store: localStore(folder) })
    await first.views.save({ ...plain, name: 'A' })
    const { id } = await first.views.save({ ...plain, name: 'B', pinned: true })
    await first.views.change({ account, view: id, start: true })
    await first.views.order({ account, views: [id] })
    await quiet()
    const before = await first.views.list({ account })
    await first.views.stop()
    const { views, store } = await roomWith({ store: localStore(folder) })
    expect(await views.list({ account })).toEqual(before)
    expect(await views.startView(account)).toBe(browsers)
    await store.run('accounts/remove', account)
    await quiet()
    expect(await views.list({ account })).toEqual([])
    expect(await store.run('views/pinned', undefined)).toEqual([])
  })
})
