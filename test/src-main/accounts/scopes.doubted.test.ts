import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId } from '#shared/values/ids.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { now } from '../reports/helpers.ts'
import { never } from './helpers.ts'
import { connectLimited, days, devices, few, limitTo, more, openHarness, shown } from './scopes-harness.ts'
import type { Harness } from './scopes-harness.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.control('DELETE', '/faults')
  await limitTo(running, more)
})

const second = 1000
const minute = 60 * second
const page = { ...devices, whole: false }

/** A desk with a connected account, whose lists are read when a test says so. */
async function desk() {
  const clock = { moved: 0, now: () => Date.parse(now) + clock.moved, wait: () => never }
  const harness = await openHarness({ clock })
  const id = await connectLimited(harness, running)
  const dataScope = harness.accounts.dataScopeOf(id)
  return { ...harness, clock, id, dataScope }
}

/** From now on, the list of instances has only so many. Tables answer as ever. */
const leaveOut = (left: number) =>
  running.fault({ path: 'interface/instances', times: null, does: { kind: 'left-out', left } })
const listAll = () => running.control('DELETE', '/faults')

/** Reads the list of instances every so often for a while. */
async function readFor({ accounts, clock, id }: Awaited<ReturnType<typeof desk>>, time: number) {
  for (let passed = 0; passed < time; passed += 30 * second) {
    clock.moved += 30 * second
    await accounts.confirm(id)
  }
}

const asked = async ({ reports }: Pick<Harness, 'reports'>, account: AccountId, query = page) => {
  const { figures, provenance } = await reports.ask({ account, query, force: false })
  return { total: figures.total, doubt: provenance.doubt, missing: provenance.missing }
}
const earlierOf = ({ accounts }: Pick<Harness, 'accounts'>) =>
  accounts.list().filter(({ kind }) => kind === 'earlier')

/** What the service says itself while a token sees these. */
async function truth(instances: readonly string[], range = page.range) {
  await limitTo(running, instances)
  const given = { start: range.start, end: range.end, limit: 1000 }
  return (await running.client({}, 'limited').call('script/devices', given)).answer.total
}

const tables = async () => (await running.requests()).filter(({ path }) => path === 'script/devices').length

describe('an empty list of instances', () => {
  it('changes no scope, marks what comes meanwhile, and makes it the scope’s when they are listed again', async () => {
    const figures = await truth(more)
    const made = await desk()
    const { accounts, id, dataScope } = made
    await shown(made.reports, id, { ...devices, range: days(7, 7) })
    await leaveOut(0)
    expect(await accounts.confirm(id)).toMatchObject({
      message: expect.stringContaining('lists no instances'),
    })
    expect(await asked(made, id)).toEqual({ total: figures, doubt: 'unconfirmed', missing: [] })
    expect(await asked(made, id, devices)).toEqual({ total: figures, doubt: 'unconfirmed', missing: [] })
    await readFor(made, 2 * minute)
    expect(await asked(made, id)).toMatchObject({ total: figures, doubt: 'unconfirmed' })
    await listAll()
    expect(await accounts.confirm(id)).toBeNull()
    const before = await tables()
    expect(await asked(made, id, devices)).toEqual({ total: figures, doubt: null, missing: [] })
    expect(await tables()).toBe(before)
    expect([accounts.dataScopeOf(id), earlierOf(made)]).toEqual([dataScope, []])
    expect(made.notices).toEqual([])
  })

  it('is read again by itself', async () => {
    const waits: (() => void)[] = []
    const clock = {
      moved: 0,
      now: () => Date.parse(now) + clock.moved,
      wait: () => new Promise<void>((go) => waits.push(go)),
    }
    const harness = await openHarness({ clock })
    const id = await connectLimited(harness, running)
    await leaveOut(0)
    await harness.accounts.confirm(id)
    expect(harness.accounts.isDoubted(id)).toBe(true)
    await listAll()
    for (const go of waits.splice(0)) go()
    await expect.poll(() => harness.accounts.isDoubted(id)).toBe(false)
  })

  it('is not believed of a token that is typed again: nothing is stored before it is read again', async () => {
    const made = await desk()
    const { accounts, id, dataScope, reports } = made
    const before = await shown(reports, id)
    await accounts.confirm(id)
    await leaveOut(0)
    const token = running.sandbox.tokens.limited
    await accounts.renewToken({ account: id, token, storage: 'keychain' })
    const others = { ...page, range: days(8, 9) }
    await expect(reports.ask({ account: id, query: others, force: false })).rejects.toMatchObject({
      failure: { message: expect.stringContaining('lists no instances') },
    })
    await listAll()
    expect(await shown(reports, id)).toEqual(before)
    expect([accounts.dataScopeOf(id), earlierOf(made)]).toEqual([dataScope, []])
  })

  it('leaves nothing behind of a token that really sees none for a while', async () => {
    const figures = await truth(more)
    const made = await desk()
    await limitTo(running, [])
    await made.accounts.confirm(made.id)
    await asked(made, made.id)
    await limitTo(running, more)
    made.clock.moved += 30 * second
    await made.accounts.confirm(made.id)
    expect(await asked(made, made.id)).toEqual({ total: figures, doubt: null, missing: [] })
  })

  it('is what a new account has, and after minutes what one has whose token sees none any more', async () => {
    await leaveOut(0)
    const made = await desk()
    expect(await made.accounts.confirm(made.id)).toBeNull()
    await listAll()
    await made.accounts.confirm(made.id)
    const dataScope = made.accounts.dataScopeOf(made.id)
    await leaveOut(0)
    await readFor(made, 6 * minute)
    expect(await made.accounts.confirm(made.id)).toBeNull()
    expect(made.accounts.dataScopeOf(made.id)).not.toBe(dataScope)
  })
})

describe('a list of fewer than half of the instances', () => {
  it('is a new scope once it has said the same for minutes', async () => {
    const figures = await truth(['4101'])
    await limitTo(running, more)
    const made = await desk()
    const { accounts, id, dataScope, reports } = made
    await shown(reports, id)
    await accounts.confirm(id)
    await limitTo(running, ['4101'])
    await readFor(made, 4.5 * minute)
    expect(accounts.dataScopeOf(id)).toBe(dataScope)
    expect(await asked(made, id, { ...page, range: days(7, 9) })).toMatchObject({ doubt: 'unconfirmed' })
    await readFor(made, 1.5 * minute)
    expect(accounts.dataScopeOf(id)).not.toBe(dataScope)
    expect(await asked(made, id)).toMatchObject({ total: figures, doubt: null })
    expect(earlierOf(made)).toMatchObject([{ name: expect.stringContaining('3 instances') }])
  })

  it('leaves nothing of what came meanwhile, since that may be of fewer', async () => {
    const figures = await truth(more)
    const made = await desk()
    const { accounts, id, dataScope } = made
    await limitTo(running, ['4101'])
    await accounts.confirm(id)
    const meanwhile = await asked(made, id)
    expect([meanwhile.doubt, meanwhile.total]).toEqual(['unconfirmed', expect.not.objectContaining(figures)])
    await limitTo(running, more)
    made.clock.moved += 30 * second
    await accounts.confirm(id)
    expect(await asked(made, id)).toEqual({ total: figures, doubt: null, missing: [] })
    expect(accounts.dataScopeOf(id)).toBe(dataScope)
  })

  it('is none where one of two is left: that is a new scope at once', async () => {
    await limitTo(running, few)
    const made = await desk()
    await limitTo(running, ['4101'])
    expect(await made.accounts.confirm(made.id)).toBeNull()
    expect(made.accounts.dataScopeOf(made.id)).not.toBe(made.dataScope)
  })
})
