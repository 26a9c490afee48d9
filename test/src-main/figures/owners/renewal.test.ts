import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CreateClient } from '../../../../src-main/accounts/client.ts'
import { openHandle } from '../../../../src-main/lib/sqlite/database.ts'
import type { Store } from '../../../../src-main/store/open-store.ts'
import { DeskFailure } from '../../../../src-shared/desk/desk-failure.ts'
import type { AccountId } from '../../../../src-shared/values/ids.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { runningSandbox } from '../../../helpers/running-sandbox.ts'
import type { RunningSandbox } from '../../../helpers/running-sandbox.ts'
import { days, devices, openWorld, shown } from './world.ts'
import type { World } from './world.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.control('DELETE', '/faults')
  await running.control('POST', '/tokens', { limit: ['4101', '4189'] })
})

type Holder = keyof RunningSandbox['sandbox']['tokens']

const form = (token: Holder, name: string = token) =>
  ({
    name,
    address: running.sandbox.address,
    token: running.sandbox.tokens[token],
    keep: 'keychain',
    bodyEncoding: 'json',
  }) as const

const renew = ({ accounts }: World, account: AccountId, holder: Holder) =>
  accounts.renewToken({ account, token: running.sandbox.tokens[holder], keep: 'keychain' })

/** Whatever is asked next. */
const askAnything = ({ accounts }: World, account: AccountId) =>
  accounts.ownersClient(account, accounts.ownerOf(account)).catch(() => undefined)

const earlierOf = ({ accounts }: World) => accounts.list().filter((each) => each.kind === 'earlier')

const firstThree = { ...devices, range: days(1, 3) }
const away = { path: null, times: null, does: { kind: 'reset' } }
const aMinute = 61_000

describe('a token of other instances', () => {
  it('never adds its days to those that were kept with the one before', async () => {
    const world = await openWorld()
    const { accounts, reports } = world
    const other = await accounts.connect(form('limited', 'Other'))
    const limited = await shown(reports, other.id)
    const { id } = await accounts.connect(form('admin', 'Acme'))
    await shown(reports, id, firstThree)
    await renew(world, id, 'limited')
    expect(await shown(reports, id)).toEqual(limited)
  })

  it('leaves the figures before to be read under their own name, and never renewed', async () => {
    const world = await openWorld()
    const { accounts, reports, notices } = world
    const { id } = await accounts.connect(form('admin', 'Acme'))
    const before = await shown(reports, id, firstThree)
    await renew(world, id, 'limited')
    const [entry] = earlierOf(world)
    expect(entry).toMatchObject({ of: id, name: 'Acme, until 20 Nov 2026 (7 instances)' })
    expect(notices).toMatchObject([{ text: expect.stringContaining('shows 2 instances instead of 7') }])
    if (!entry) return
    await running.control('DELETE', '/requests')
    expect(await shown(reports, entry.id, firstThree)).toEqual(before)
    const force = await reports.ask({ account: entry.id, query: firstThree, force: true })
    expect(force.figures).toEqual(
      (await reports.ask({ account: entry.id, query: firstThree, force: false })).figures,
    )
    await expect(shown(reports, entry.id, { ...devices, range: days(8, 9) })).rejects.toMatchObject({
      failure: { kind: 'no-token', message: expect.stringContaining('saved with an earlier access') },
    })
    await expect(accounts.clientFor(entry.id)).rejects.toMatchObject({ failure: { kind: 'no-token' } })
    await expect(renew(world, entry.id, 'admin')).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    await expect(accounts.removeToken(entry.id)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    await expect(accounts.check(entry.id)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    expect(reports.connection(entry.id)).toEqual({ kind: 'no-token' })
    expect(await running.requests()).toEqual([])
  })

  it('finds its own figures again when it comes back, without a request for what was kept', async () => {
    const world = await openWorld()
    const { accounts, reports } = world
    const { id } = await accounts.connect(form('admin', 'Acme'))
    const before = await shown(reports, id, firstThree)
    await renew(world, id, 'limited')
    await shown(reports, id, firstThree)
    await renew(world, id, 'admin')
    await running.control('DELETE', '/requests')
    expect(await shown(reports, id, firstThree)).toEqual(before)
    expect(await running.requests()).toEqual([])
    expect(earlierOf(world)).toMatchObject([{ name: 'Acme, until 20 Nov 2026 (2 instances)' }])
  })

  it('stays with its figures where the cache is lost, which is made anew from their files', async () => {
    const world = await openWorld()
    const { accounts, reports, folder, keychain } = world
    const { id } = await accounts.connect(form('admin', 'Acme'))
    const before = await shown(reports, id, firstThree)
    await renew(world, id, 'limited')
    const after = await shown(reports, id, firstThree)
    await world.end()
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `cache.sqlite${end}`), { force: true })
    const again = await openWorld({ folder, keychain })
    again.reports.begin()
    await running.fault({ path: null, times: null, does: { kind: 'reset' } })
    const [earlier] = earlierOf(again)
    if (!earlier) throw new Error('It has gone')
    await eventually(async () => expect(await shown(again.reports, earlier.id, firstThree)).toEqual(before))
    expect(await shown(again.reports, id, firstThree)).toEqual(after)
  }, 60_000)

  it('leaves nothing behind where nothing was kept', async () => {
    const world = await openWorld()
    const { id } = await world.accounts.connect(form('admin', 'Acme'))
    await world.reports.instances({ account: id, name: null, page: 1, limit: 20 })
    await renew(world, id, 'limited')
    expect(earlierOf(world)).toEqual([])
    expect(world.notices).toEqual([])
  })
})

describe('a request that is on its way while the token is renewed', () => {
  it.each(['before it is answered', 'after it was answered'])(
    'is answered with the new one’s figures (%s)',
    async (when) => {
      const held = holding(when === 'before it is answered')
      const world = await openWorld({ client: held.client })
      const { accounts, reports } = world
      const other = await accounts.connect(form('limited', 'Other'))
      const limited = await shown(reports, other.id)
      const { id } = await accounts.connect(form('admin', 'Acme'))
      held.hold()
      const asked = shown(reports, id)
      await held.reached
      const renewing = renew(world, id, 'limited')
      await renewing
      held.release()
      expect(await asked).toEqual(limited)
      expect(await shown(reports, id)).toEqual(limited)
      expect(earlierOf(world)).toEqual([])
    },
  )
})

describe('a check of the scope', () => {
  it('is made beside what is asked for, once a minute, and keeps apart what a token sees from then on', async () => {
    const world = await openWorld()
    const { accounts, reports, clock } = world
    const { id } = await accounts.connect(form('limited', 'Acme'))
    const before = await shown(reports, id, firstThree)
    await running.control('POST', '/tokens', { limit: ['4101', '4117', '4123'] })
    await askAnything(world, id)
    expect(earlierOf(world)).toEqual([])
    clock.moved += aMinute
    await running.control('DELETE', '/requests')
    await askAnything(world, id)
    await askAnything(world, id)
    await eventually(() => expect(earlierOf(world)).toHaveLength(1))
    // Who finds others on it reads the list once.
    expect((await running.requests()).map(({ path }) => path)).toEqual(['interface/instances'])
    expect(await shown(reports, id, firstThree)).not.toEqual(before)
    expect(world.notices).toMatchObject([{ text: expect.stringContaining('3 instances instead of 2') }])
    const [entry] = earlierOf(world)
    expect(await shown(reports, entry?.id ?? id, firstThree)).toEqual(before)
  })

  it('that fails changes nothing, and is taken again', async () => {
    const world = await openWorld()
    const { accounts, reports, clock } = world
    const { id } = await accounts.connect(form('limited', 'Acme'))
    const before = await shown(reports, id, firstThree)
    const owner = accounts.ownerOf(id)
    await running.control('POST', '/tokens', { limit: ['4101'] })
    clock.moved += aMinute
    await running.fault(away)
    await askAnything(world, id)
    expect(await accounts.confirm(id)).toMatchObject({ kind: 'offline' })
    expect([accounts.ownerOf(id), await shown(reports, id, firstThree)]).toEqual([owner, before])
    await running.control('DELETE', '/faults')
    clock.moved += aMinute
    await askAnything(world, id)
    await eventually(() => expect(accounts.ownerOf(id)).not.toBe(owner))
  })
})

describe('an end in the middle of a renewal', () => {
  it('adds nothing to the figures before: what the token sees is looked at first', async () => {
    let dies = false
    const wrap = (store: Store): Store => ({
      ...store,
      run: (name, argument) =>
        dies && name === 'owners/take'
          ? Promise.reject(new DeskFailure({ kind: 'disk', message: 'Gone' }))
          : store.run(name, argument),
    })
    const world = await openWorld({ wrap })
    const { folder, keychain, clock } = world
    const { id } = await world.accounts.connect(form('admin', 'Acme'))
    const before = await shown(world.reports, id, firstThree)
    dies = true
    await expect(renew(world, id, 'limited')).rejects.toThrow('Gone')
    expect(keychain.entries()[id]?.token).toBe(running.sandbox.tokens.limited)
    await world.end()

    const again = await openWorld({ folder, keychain, clock })
    await running.fault(away)
    await expect(shown(again.reports, id, { ...devices, range: days(8, 9) })).rejects.toMatchObject({
      failure: { kind: 'offline' },
    })
    await running.control('DELETE', '/faults')
    const other = await again.accounts.connect(form('limited', 'Other'))
    clock.moved += 60_000
    await askAnything(again, id)
    expect(await shown(again.reports, id)).toEqual(await shown(again.reports, other.id))
    const [entry] = earlierOf(again)
    expect(await shown(again.reports, entry?.id ?? id, firstThree)).toEqual(before)
  })

  it('does not begin where it cannot be written down that it began', async () => {
    let full = false
    const wrap = (store: Store): Store => ({
      ...store,
      run: (name, argument) =>
        full && name === 'owners/doubt'
          ? Promise.reject(new DeskFailure({ kind: 'disk', message: 'Full' }))
          : store.run(name, argument),
    })
    const world = await openWorld({ wrap })
    const { id } = await world.accounts.connect(form('admin', 'Acme'))
    full = true
    await expect(renew(world, id, 'limited')).rejects.toMatchObject({ failure: { kind: 'disk' } })
    expect(world.keychain.entries()[id]?.token).toBe(running.sandbox.tokens.admin)
  })
})

describe('figures that were kept before their scope was known', () => {
  /** As an earlier version left them. */
  async function fromBefore() {
    const world = await openWorld()
    const { id } = await world.accounts.connect(form('admin', 'Acme'))
    const before = await shown(world.reports, id, firstThree)
    await world.end()
    const handle = openHandle(join(world.folder, 'state.sqlite'))
    handle.exec('UPDATE owners SET origin = NULL, scope = NULL, instances = NULL, looked_at = NULL')
    handle.close()
    return { id, before, around: { folder: world.folder, keychain: world.keychain, clock: world.clock } }
  }

  it('are of what the token sees that was there', async () => {
    const { id, before, around } = await fromBefore()
    const world = await openWorld(around)
    await renew(world, id, 'limited')
    const [entry] = earlierOf(world)
    expect(entry?.name).toBe('Acme, until 20 Nov 2026 (7 instances)')
    expect(await shown(world.reports, entry?.id ?? id, firstThree)).toEqual(before)
    await renew(world, id, 'admin')
    expect(await shown(world.reports, id, firstThree)).toEqual(before)
  })

  it('are kept apart where the token that was there cannot be asked any more', async () => {
    const { id, before, around } = await fromBefore()
    const world = await openWorld(around)
    await running.control('POST', '/tokens', { revoke: 'admin' })
    await renew(world, id, 'limited')
    await running.control('POST', '/tokens', { restore: 'admin' })
    const [entry] = earlierOf(world)
    expect(entry?.name).toBe('Acme, until 20 Nov 2026')
    expect(await shown(world.reports, entry?.id ?? id, firstThree)).toEqual(before)
  })
})

describe('removing', () => {
  it('takes earlier figures alone, and shows their account where they were shown', async () => {
    const world = await openWorld()
    const { accounts, reports, store } = world
    const { id } = await accounts.connect(form('admin', 'Acme'))
    await shown(reports, id, firstThree)
    await renew(world, id, 'limited')
    const now = await shown(reports, id, firstThree)
    const [entry] = earlierOf(world)
    await accounts.activate(entry?.id ?? id)
    expect(accounts.active()).toBe(entry?.id)
    await accounts.remove(entry?.id ?? id)
    expect(accounts.active()).toBe(id)
    expect(earlierOf(world)).toEqual([])
    expect(await shown(reports, id, firstThree)).toEqual(now)
    expect(await store.run('owners/list', undefined)).toHaveLength(1)
    expect(world.keychain.entries()[id]?.token).toBe(running.sandbox.tokens.limited)
  })

  it('of an account takes all that was ever kept for it', async () => {
    const world = await openWorld()
    const { accounts, reports, store } = world
    const { id } = await accounts.connect(form('admin', 'Acme'))
    await shown(reports, id, firstThree)
    await renew(world, id, 'limited')
    await shown(reports, id, firstThree)
    await accounts.activate(earlierOf(world)[0]?.id ?? id)
    await accounts.remove(id)
    expect([accounts.list(), accounts.active()]).toEqual([[], null])
    expect(await store.run('owners/list', undefined)).toEqual([])
    expect(await store.run('tables/sizes', undefined)).toEqual({ tables: 0, answers: 0, days: 0 })
  })
})

describe('after a start', () => {
  it('earlier figures are there as they were, and chosen as they were', async () => {
    const world = await openWorld()
    const { folder, keychain, clock } = world
    const { id } = await world.accounts.connect(form('admin', 'Acme'))
    const before = await shown(world.reports, id, firstThree)
    await renew(world, id, 'limited')
    const [entry] = earlierOf(world)
    await world.accounts.activate(entry?.id ?? id)
    await world.end()
    await running.fault(away)
    const again = await openWorld({ folder, keychain, clock })
    expect(again.accounts.list()).toEqual(
      world.accounts.list().map(({ id: same }) => again.accounts.account(same)),
    )
    expect(again.accounts.active()).toBe(entry?.id)
    expect(await shown(again.reports, entry?.id ?? id, firstThree)).toEqual(before)
  })
})

/** Holds the next table back, before it is asked for or once it has been answered. */
function holding(before: boolean) {
  let held = false
  let reach = () => {}
  let release = () => {}
  const reached = new Promise<void>((resolve) => (reach = resolve))
  const released = new Promise<void>((resolve) => (release = resolve))
  const client =
    (create: CreateClient): CreateClient =>
    (options) => {
      const made = create(options)
      const wait = async (path: string) => {
        if (!held || path !== 'script/devices') return
        reach()
        await released
      }
      return {
        ...made,
        call: async (path, given, of) => {
          if (before) await wait(path)
          const answer = await made.call(path, given, of)
          if (!before) await wait(path)
          return answer
        },
      }
    }
  return { client, reached, hold: () => void (held = true), release: () => release() }
}
