import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CreateClient } from '#main/accounts/clients.ts'
import { openHandle } from '#main/database/sqlite/database.ts'
import type { Store } from '#main/database/open-store.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { days, devices, openHarness, shown } from './scopes-harness.ts'
import type { Harness } from './scopes-harness.ts'

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
    storage: 'keychain',
    bodyEncoding: 'json',
  }) as const

const renew = ({ accounts }: Harness, account: AccountId, holder: Holder) =>
  accounts.renewToken({ account, token: running.sandbox.tokens[holder], storage: 'keychain' })

/** Whatever is asked next. */
const askAnything = ({ accounts }: Harness, account: AccountId) =>
  accounts.dataScopeClient(account, accounts.dataScopeOf(account)).catch(() => undefined)

const earlierOf = ({ accounts }: Harness) => accounts.list().filter((each) => each.kind === 'earlier')

const firstThree = { ...devices, range: days(1, 3) }
const away = { path: null, times: null, does: { kind: 'reset' } }
const aMinute = 61_000

describe('a token of other instances', () => {
  it('never adds its days to those that were kept with the one before', async () => {
    const harness = await openHarness()
    const { accounts, reports } = harness
    const other = await accounts.connect(form('limited', 'Other'))
    const limited = await shown(reports, other.id)
    const { id } = await accounts.connect(form('admin', 'Acme'))
    await shown(reports, id, firstThree)
    await renew(harness, id, 'limited')
    expect(await shown(reports, id)).toEqual(limited)
  })

  it('leaves the figures before to be read under their own name, and never renewed', async () => {
    const harness = await openHarness()
    const { accounts, reports, notices } = harness
    const { id } = await accounts.connect(form('admin', 'Acme'))
    const before = await shown(reports, id, firstThree)
    await renew(harness, id, 'limited')
    const [entry] = earlierOf(harness)
    expect(entry).toMatchObject({ account: id, name: 'Acme, until 20 Nov 2026 (7 instances)' })
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
    await expect(renew(harness, entry.id, 'admin')).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    await expect(accounts.removeToken(entry.id)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    await expect(accounts.check(entry.id)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    expect(reports.connection(entry.id)).toEqual({ kind: 'no-token' })
    expect(await running.requests()).toEqual([])
  })

  it('finds its own figures again when it comes back, without a request for what was kept', async () => {
    const harness = await openHarness()
    const { accounts, reports } = harness
    const { id } = await accounts.connect(form('admin', 'Acme'))
    const before = await shown(reports, id, firstThree)
    await renew(harness, id, 'limited')
    await shown(reports, id, firstThree)
    await renew(harness, id, 'admin')
    await running.control('DELETE', '/requests')
    expect(await shown(reports, id, firstThree)).toEqual(before)
    expect(await running.requests()).toEqual([])
    expect(earlierOf(harness)).toMatchObject([{ name: 'Acme, until 20 Nov 2026 (2 instances)' }])
  })

  it('stays with its figures where the cache is lost, which is made anew from their files', async () => {
    const harness = await openHarness()
    const { accounts, reports, folder, keychain } = harness
    const { id } = await accounts.connect(form('admin', 'Acme'))
    const before = await shown(reports, id, firstThree)
    await renew(harness, id, 'limited')
    const after = await shown(reports, id, firstThree)
    await harness.end()
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `cache.sqlite${end}`), { force: true })
    const again = await openHarness({ folder, keychain })
    again.reports.start()
    await running.fault({ path: null, times: null, does: { kind: 'reset' } })
    const [earlier] = earlierOf(again)
    if (!earlier) throw new Error('It has gone')
    await eventually(async () => expect(await shown(again.reports, earlier.id, firstThree)).toEqual(before))
    expect(await shown(again.reports, id, firstThree)).toEqual(after)
  }, 60_000)

  it('leaves nothing behind where nothing was kept', async () => {
    const harness = await openHarness()
    const { id } = await harness.accounts.connect(form('admin', 'Acme'))
    await harness.reports.instances({ account: id, name: null, page: 1, limit: 20 })
    await renew(harness, id, 'limited')
    expect(earlierOf(harness)).toEqual([])
    expect(harness.notices).toEqual([])
  })
})

describe('a request that is on its way while the token is renewed', () => {
  it.each(['before it is answered', 'after it was answered'])(
    'is answered with the new one’s figures (%s)',
    async (when) => {
      const held = holding(when === 'before it is answered')
      const harness = await openHarness({ client: held.client })
      const { accounts, reports } = harness
      const other = await accounts.connect(form('limited', 'Other'))
      const limited = await shown(reports, other.id)
      const { id } = await accounts.connect(form('admin', 'Acme'))
      held.hold()
      const asked = shown(reports, id)
      await held.reached
      const renewing = renew(harness, id, 'limited')
      await renewing
      held.release()
      expect(await asked).toEqual(limited)
      expect(await shown(reports, id)).toEqual(limited)
      expect(earlierOf(harness)).toEqual([])
    },
  )
})

describe('a check of the scope', () => {
  it('is made beside what is asked for, once a minute, and keeps apart what a token sees from then on', async () => {
    const harness = await openHarness()
    const { accounts, reports, clock } = harness
    const { id } = await accounts.connect(form('limited', 'Acme'))
    const before = await shown(reports, id, firstThree)
    await running.control('POST', '/tokens', { limit: ['4101', '4117', '4123'] })
    await askAnything(harness, id)
    expect(earlierOf(harness)).toEqual([])
    clock.moved += aMinute
    await running.control('DELETE', '/requests')
    await askAnything(harness, id)
    await askAnything(harness, id)
    await eventually(() => expect(earlierOf(harness)).toHaveLength(1))
    // Who finds others on it reads the list once.
    expect((await running.requests()).map(({ path }) => path)).toEqual(['interface/instances'])
    expect(await shown(reports, id, firstThree)).not.toEqual(before)
    expect(harness.notices).toMatchObject([{ text: expect.stringContaining('3 instances instead of 2') }])
    const [entry] = earlierOf(harness)
    expect(await shown(reports, entry?.id ?? id, firstThree)).toEqual(before)
  })

  it('that fails changes nothing, and is taken again', async () => {
    const harness = await openHarness()
    const { accounts, reports, clock } = harness
    const { id } = await accounts.connect(form('limited', 'Acme'))
    const before = await shown(reports, id, firstThree)
    const dataScope = accounts.dataScopeOf(id)
    await running.control('POST', '/tokens', { limit: ['4101'] })
    clock.moved += aMinute
    await running.fault(away)
    await askAnything(harness, id)
    expect(await accounts.confirm(id)).toMatchObject({ kind: 'offline' })
    expect([accounts.dataScopeOf(id), await shown(reports, id, firstThree)]).toEqual([dataScope, before])
    await running.control('DELETE', '/faults')
    clock.moved += aMinute
    await askAnything(harness, id)
    await eventually(() => expect(accounts.dataScopeOf(id)).not.toBe(dataScope))
  })
})

describe('an end in the middle of a renewal', () => {
  it('adds nothing to the figures before: what the token sees is looked at first', async () => {
    let dies = false
    const wrap = (store: Store): Store => ({
      ...store,
      run: (name, argument) =>
        dies && name === 'data-scopes/take'
          ? Promise.reject(new DeskFailure({ kind: 'disk', message: 'Gone' }))
          : store.run(name, argument),
    })
    const harness = await openHarness({ wrap })
    const { folder, keychain, clock } = harness
    const { id } = await harness.accounts.connect(form('admin', 'Acme'))
    const before = await shown(harness.reports, id, firstThree)
    dies = true
    await expect(renew(harness, id, 'limited')).rejects.toThrow('Gone')
    expect(keychain.entries()[id]?.token).toBe(running.sandbox.tokens.limited)
    await harness.end()

    const again = await openHarness({ folder, keychain, clock })
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
        full && name === 'data-scopes/doubt'
          ? Promise.reject(new DeskFailure({ kind: 'disk', message: 'Full' }))
          : store.run(name, argument),
    })
    const harness = await openHarness({ wrap })
    const { id } = await harness.accounts.connect(form('admin', 'Acme'))
    full = true
    await expect(renew(harness, id, 'limited')).rejects.toMatchObject({ failure: { kind: 'disk' } })
    expect(harness.keychain.entries()[id]?.token).toBe(running.sandbox.tokens.admin)
  })
})

describe('figures that were kept before their scope was known', () => {
  /** As an earlier version left them. */
  async function fromBefore() {
    const harness = await openHarness()
    const { id } = await harness.accounts.connect(form('admin', 'Acme'))
    const before = await shown(harness.reports, id, firstThree)
    await harness.end()
    const handle = openHandle(join(harness.folder, 'state.sqlite'))
    handle.exec('UPDATE data_scopes SET origin = NULL, scope = NULL, instances = NULL, looked_at = NULL')
    handle.close()
    return {
      id,
      before,
      around: { folder: harness.folder, keychain: harness.keychain, clock: harness.clock },
    }
  }

  it('are of what the token sees that was there', async () => {
    const { id, before, around } = await fromBefore()
    const harness = await openHarness(around)
    await renew(harness, id, 'limited')
    const [entry] = earlierOf(harness)
    expect(entry?.name).toBe('Acme, until 20 Nov 2026 (7 instances)')
    expect(await shown(harness.reports, entry?.id ?? id, firstThree)).toEqual(before)
    await renew(harness, id, 'admin')
    expect(await shown(harness.reports, id, firstThree)).toEqual(before)
  })

  it('are kept apart where the token that was there cannot be asked any more', async () => {
    const { id, before, around } = await fromBefore()
    const harness = await openHarness(around)
    await running.control('POST', '/tokens', { revoke: 'admin' })
    await renew(harness, id, 'limited')
    await running.control('POST', '/tokens', { restore: 'admin' })
    const [entry] = earlierOf(harness)
    expect(entry?.name).toBe('Acme, until 20 Nov 2026')
    expect(await shown(harness.reports, entry?.id ?? id, firstThree)).toEqual(before)
  })
})

describe('removing', () => {
  it('takes earlier figures alone, and shows their account where they were shown', async () => {
    const harness = await openHarness()
    const { accounts, reports, store } = harness
    const { id } = await accounts.connect(form('admin', 'Acme'))
    await shown(reports, id, firstThree)
    await renew(harness, id, 'limited')
    const now = await shown(reports, id, firstThree)
    const [entry] = earlierOf(harness)
    await accounts.activate(entry?.id ?? id)
    expect(accounts.active()).toBe(entry?.id)
    await accounts.remove(entry?.id ?? id)
    expect(accounts.active()).toBe(id)
    expect(earlierOf(harness)).toEqual([])
    expect(await shown(reports, id, firstThree)).toEqual(now)
    expect(await store.run('data-scopes/list', undefined)).toHaveLength(1)
    expect(harness.keychain.entries()[id]?.token).toBe(running.sandbox.tokens.limited)
  })

  it('of an account takes all that was ever kept for it', async () => {
    const harness = await openHarness()
    const { accounts, reports, store } = harness
    const { id } = await accounts.connect(form('admin', 'Acme'))
    await shown(reports, id, firstThree)
    await renew(harness, id, 'limited')
    await shown(reports, id, firstThree)
    await accounts.activate(earlierOf(harness)[0]?.id ?? id)
    await accounts.remove(id)
    expect([accounts.list(), accounts.active()]).toEqual([[], null])
    expect(await store.run('data-scopes/list', undefined)).toEqual([])
    expect(await store.run('tables/sizes', undefined)).toEqual({ tables: 0, answers: 0, days: 0 })
  })
})

describe('after a start', () => {
  it('earlier figures are there as they were, and chosen as they were', async () => {
    const harness = await openHarness()
    const { folder, keychain, clock } = harness
    const { id } = await harness.accounts.connect(form('admin', 'Acme'))
    const before = await shown(harness.reports, id, firstThree)
    await renew(harness, id, 'limited')
    const [entry] = earlierOf(harness)
    await harness.accounts.activate(entry?.id ?? id)
    await harness.end()
    await running.fault(away)
    const again = await openHarness({ folder, keychain, clock })
    expect(again.accounts.list()).toEqual(
      harness.accounts.list().map(({ id: same }) => again.accounts.account(same)),
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
