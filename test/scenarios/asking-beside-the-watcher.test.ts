import { rawContext } from '../src-main/raw/raw-context.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Accounts } from '#main/accounts/accounts.ts'
import { RawRequests } from '#main/raw/requests/raw-requests.ts'
import { StoredLists } from '#main/raw/requests/stored-lists.ts'
import { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { Account } from '#shared/accounts/account.ts'
import { fake } from '#test/helpers/fake.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { runningSandbox } from '../helpers/running-sandbox.ts'
import type { RunningSandbox } from '../helpers/running-sandbox.ts'
import { account as anAccount, firstId, localStore, temporaryFolder } from '../src-main/database/helpers.ts'
import { draft } from '../src-main/raw/requests/drafts.ts'
import { TickingClock } from '../src-main/raw/requests/ticking-clock.ts'

const account = firstId

/** Asking beside the room that keeps the lists, both over one sandbox. */
async function bothRooms(running: RunningSandbox) {
  const clock = new TickingClock()
  const store = localStore()
  const waiting: (() => void)[] = []
  const known: Account = anAccount()
  await store.run('accounts/put', known)
  const client = running.client({ clock: { now: () => clock.time, wait: () => Promise.resolve() } })
  const accounts = fake<Accounts>('accounts', {
    list: () => [known],
    account: () => known,
    clientFor: async () => client,
  })
  const events = eventsTo(() => {
    for (const tell of waiting.splice(0)) tell()
  })
  const context = rawContext({
    ...{ store, accounts, events, clock, folder: temporaryFolder(), random: () => 0 },
    news: { announce: async (_news, handing) => handing() },
  })
  const reports = new RawReports(context)
  const asking = new RawRequests({ ...context, lists: new StoredLists(context, reports) })
  onTestFinished(async () => {
    await asking.stop()
    await reports.stop()
    await running.close()
  })
  const { answer } = await client.call('interface/instances', { all: false, limit: 1 })
  const instance = answer.instances[0]?.id ?? null
  const ask = (name: string) =>
    asking.request({ account, draft: { ...draft, instance, name }, template: null })
  const names = async () => {
    const query = { search: '', startsWith: false, sort: [], page: 1, limit: 100 }
    return (await reports.list({ account, query, force: false })).reports.map(({ row }) => row.name)
  }
  const queue = async () => (await asking.queue({ account })).requests
  /** Resolves when nothing is in the queue any more. */
  const emptied = async () => {
    for (;;) {
      const changed = new Promise<void>((resolve) => waiting.push(resolve))
      if ((await queue()).length === 0) return
      await changed
    }
  }
  return { reports, ask, names, queue, emptied }
}

describe('asking beside the watcher', () => {
  it('finds what was lost, waits for room, and has new reports in the list at once', async () => {
    const running = await runningSandbox()
    const { ask, reports, names, queue, emptied } = await bothRooms(running)
    await running.fault({ path: 'raw/request', does: { kind: 'reset' } })
    expect(await ask('Lost')).toMatchObject({ kind: 'report' })
    expect(await ask('Waiting')).toMatchObject({ kind: 'queued' })
    expect((await queue()).map(({ state }) => state)).toEqual([{ kind: 'waiting', for: 'concurrent' }])
    await running.control('POST', '/clock', { advance: 600_000 })
    await reports.fresh(account)
    await emptied()
    expect((await names()).filter((each) => ['Lost', 'Waiting'].includes(each)).toSorted()).toEqual([
      'Lost',
      'Waiting',
    ])
    const sent = (await running.requests()).filter(({ path }) => path === 'raw/request')
    expect(sent).toHaveLength(2)
  })
})
