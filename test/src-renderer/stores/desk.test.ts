import { beforeEach, describe, expect, it } from 'vitest'
import { plainOverview, plainRaw } from '#shared/views/address.ts'
import type { InstanceId, RawReportId } from '#shared/values/ids.ts'
import { removeAccount } from '#renderer/queries/accounts.ts'
import { createApp } from '#renderer/stores/create-app.ts'
import { FakeDesk, account, otherAccount } from '../helpers/fake-desk.ts'

const both = [account, otherAccount]
const filtered = { ...plainOverview, instance: '102' as InstanceId }

beforeEach(() => window.history.replaceState(null, '', window.location.pathname))

/** A window over two accounts, the first of which is the active one and refused. */
async function windowOfFirst() {
  const main = new FakeDesk({ accounts: both, connections: { [account.id]: { kind: 'refused' } } })
  const app = createApp(main.bridge, window)
  await app.desk.read()
  return { main, ...app }
}

/** What a click on a notification or in the tray about the other account does first. */
function turnedOutside(main: FakeDesk): void {
  main.state = { ...main.state, active: otherAccount.id }
  main.emit('accounts/changed', { active: otherAccount.id, accounts: both })
}

describe('another account, made the active one from outside the window', () => {
  it('has its own status, as it was last told, none if nothing was', async () => {
    const { main, desk } = await windowOfFirst()
    expect(desk.connection).toEqual({ kind: 'refused' })
    turnedOutside(main)
    expect(desk.account).toEqual(otherAccount)
    expect(desk.connection).toEqual({ kind: 'unknown' })
    main.emit('connection/changed', { account: account.id, connection: { kind: 'offline' } })
    expect(desk.connection).toEqual({ kind: 'unknown' })
    main.emit('connection/changed', { account: otherAccount.id, connection: { kind: 'online' } })
    expect(desk.connection).toEqual({ kind: 'online' })
  })

  it('is asked about nothing that was chosen among the instances of the one before', async () => {
    const { main, navigation } = await windowOfFirst()
    navigation.go(filtered)
    turnedOutside(main)
    expect(navigation.address).toEqual(plainOverview)
    navigation.go({ ...plainRaw, report: 'r1' as RawReportId })
    expect(navigation.overview).toEqual(plainOverview)
    expect(navigation.report.instance).toBeNull()
  })

  it('keeps the filters of the address that the click leads to', async () => {
    const { main, desk, navigation } = await windowOfFirst()
    turnedOutside(main)
    navigation.go(filtered)
    await desk.read()
    expect(navigation.address).toEqual(filtered)
  })
})

describe('the filters', () => {
  it('stay where the window begins, and where only something else of the accounts changes', async () => {
    window.history.replaceState(null, '', '#/overview?instance=102')
    const { main, desk, navigation } = await windowOfFirst()
    main.emit('accounts/changed', { active: account.id, accounts: [{ ...account, name: 'Kestrel' }] })
    await desk.read()
    expect(navigation.address).toEqual(filtered)
    expect(desk.connection).toEqual({ kind: 'refused' })
  })

  it('go with an account that is removed', async () => {
    const { bridge, queries, desk, navigation } = await windowOfFirst()
    navigation.go(filtered)
    const removed = { account: account.id, what: 'everything' } as const
    expect(await removeAccount({ bridge, queries }, removed)).toBeNull()
    expect(desk.account).toEqual(otherAccount)
    expect(navigation.address).toEqual(plainOverview)
  })
})
