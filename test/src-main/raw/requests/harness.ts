import { usualRawSettings } from '#shared/raw/settings.ts'
import { rawContext, settingsWith } from '../raw-context.ts'
import { onTestFinished } from 'vitest'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { AccountEvent } from '#main/lib/app-events.ts'
import { RawRequests } from '#main/raw/requests/raw-requests.ts'
import type { RawLists } from '#main/raw/requests/requests-context.ts'
import type { ServiceClient } from '#main/api/client.ts'
import type { Store } from '#main/database/open-store.ts'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { ShownRequestState, StuckRequest } from '#shared/raw/requests.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { fake } from '#test/helpers/fake.ts'
import { account, firstId, localStore } from '#test/src-main/database/helpers.ts'
import { AskedService } from './asked-service.ts'
import { draft } from './drafts.ts'
import { crashingStore } from './crashing-store.ts'
import type { Death } from './crashing-store.ts'
import { TickingClock } from './ticking-clock.ts'

/** A service as asking sees it, and who keeps its lists. */
export type Served = RawLists & { readonly client: ServiceClient }

type Given = Death & {
  readonly store?: Store
  readonly clock?: TickingClock
  readonly zone?: string
  readonly additionalColumns?: number
}

/** Asking over a real store with one account and any service. */
export async function harnessOver(service: Served, given: Given = {}) {
  const clock = given.clock ?? new TickingClock()
  const stored = given.store ?? localStore()
  const accounts: LiveAccount[] = [account({ dayZone: given.zone ?? 'UTC' })]
  for (const each of accounts) await stored.run('accounts/put', each)
  const events: AccountId[] = []
  const stuck: StuckRequest[] = []
  const bus = eventsTo((event) => {
    if (event.kind === 'raw/changed') events.push(event.account)
    if (event.kind === 'raw/stuck') stuck.push(event.request)
  })
  /** A list of an account was stored, as whoever watches tells. */
  const listed = (id: AccountId) => bus.emit({ kind: 'raw/list-stored', account: id })
  const { store, died, abandon, isAlive } = crashingStore(stored, given)
  const connecting: { failure: Error | null } = { failure: null }
  const asking = new RawRequests({
    ...rawContext({ store, clock, events: bus }),
    accounts: fake<Accounts>('accounts', {
      list: () => accounts,
      account: (id) => {
        const found = accounts.find((each) => each.id === id)
        if (!found) throw new DeskFailure({ kind: 'invalid', message: 'This account has been removed.' })
        return found
      },
      clientFor: async () => {
        if (connecting.failure) throw connecting.failure
        return service.client
      },
    }),
    settings: settingsWith(() => ({
      ...usualRawSettings,
      additionalColumns: given.additionalColumns ?? 10,
    })),
    lists: service,
  })
  onTestFinished(() => (isAlive() ? asking.stop() : undefined))
  asking.start()
  if (given.operations === undefined) await asking.atRest()
  const ask = (changes: Partial<RawDraft> = {}) =>
    asking.request({ account: firstId, draft: { ...draft, ...changes }, template: null })
  /** Each request of the queue, as its name and where it stands. */
  const queue = async () => {
    const { requests } = await asking.queue({ account: firstId })
    return requests.map((each) => `${each.draft.name}: ${wordsOf(each.state)}`)
  }
  const idOf = async (name: string) => {
    const { requests } = await asking.queue({ account: firstId })
    const found = requests.find((each) => each.draft.name === name)
    if (!found) throw new Error(`Nothing of the name ${name} is in the queue`)
    return found.id
  }
  /** Lets time pass, and all that follows happen. */
  const pass = async (milliseconds: number) => {
    await asking.atRest()
    clock.move(milliseconds)
    await settled()
    await asking.atRest()
  }
  const tell = (event: AccountEvent) => bus.emit(event)
  return {
    ...{ asking, store: stored, clock, accounts, events, listed, stuck, connecting, abandon, died },
    ...{ ask, queue, idOf, pass, tell },
  }
}

export type Harness = Awaited<ReturnType<typeof harnessWith>>

/** The same over a service that does as it is told. */
export async function harnessWith(given: Given & { readonly service?: AskedService } = {}) {
  const clock = given.clock ?? new TickingClock()
  const service = given.service ?? new AskedService(clock)
  const harness = await harnessOver(service, { ...given, clock })
  /** A new list is there, as whoever watches tells. */
  const relist = async () => {
    await service.refresh()
    harness.listed(firstId)
    await harness.asking.atRest()
  }
  return { ...harness, service, relist }
}

export const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

const wordsOf = (state: ShownRequestState) => (state.kind === 'waiting' ? state.for : state.kind)
