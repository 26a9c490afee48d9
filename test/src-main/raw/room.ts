import { rawContext, settingsWith } from './raw-context.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import type { AccountEvent } from '#main/lib/app-events.ts'
import { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { Store } from '#main/database/open-store.ts'
import type { Account } from '#shared/accounts/account.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { AnnouncementBatch, RawSettings } from '#shared/raw/settings.ts'
import type { RawEvents, RawListQuery, SavedState } from '#shared/raw/list.ts'
import { usualRawSettings } from '#shared/raw/settings.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { fake } from '#test/helpers/fake.ts'
import { HandClock, settled } from '../reports/clock.ts'
import { account, firstId, localStore, secondId, temporaryFolder } from '../database/helpers.ts'
import { FakeService } from './fake-service.ts'

export const noon = '2026-11-20T12:00:00Z'
export const everything: RawListQuery = { search: '', startsWith: false, sort: [], page: 1, limit: 1000 }

export type Event = { readonly name: keyof RawEvents } & Readonly<Record<string, unknown>>

/** News as a text: "ready a", "summary ready a, failed b". */
export function newsText(news: AnnouncementBatch): string {
  const words = ({ kind, report }: { readonly kind: string; readonly report: string }) => `${kind} ${report}`
  return news.kind === 'one'
    ? words(news.announcement)
    : `summary ${news.announcements.map(words).join(', ')}`
}

/** What somebody waits for who does not get an answer. */
const never = new Promise<void>(() => undefined)

/** What outlives a restart: the disk, the clock, the services, and what was shown. */
export async function harness(changes: { readonly store?: Store } = {}) {
  const store = changes.store ?? localStore()
  const accounts: Account[] = [account()]
  await store.run('accounts/put', account())
  const services = new Map<AccountId, FakeService>([
    [firstId, new FakeService()],
    [secondId, new FakeService()],
  ])
  return {
    store,
    accounts,
    services,
    clock: new HandClock(noon),
    folder: temporaryFolder(),
    /** Reports of which it was told that they became ready; from the fourth on, that is not welcome. */
    ready: [] as string[],
    shown: [] as string[],
    news: [] as AnnouncementBatch[],
    events: [] as Event[],
    saved: new Map<RawReportId, SavedState>(),
    settings: { ...usualRawSettings } as RawSettings,
    /** Whether the desktop takes notifications, and says so. */
    desktop: { takes: true, answers: true },
    /** Whether what saves files answers. */
    saving: { answers: true },
  }
}

export type Harness = Awaited<ReturnType<typeof harness>>

/** The room in such a world; to restart it, make another. */
export function roomIn(given: Harness) {
  const { store, accounts, services, clock, folder, shown, news, events, saved, desktop, saving } = given
  const account = (id: AccountId) => {
    const found = accounts.find((each) => each.id === id)
    if (!found) throw new DeskFailure({ kind: 'invalid', message: 'This account has been removed.' })
    return found
  }
  const bus = eventsTo((event) => {
    if (event.kind !== 'raw/changed' && event.kind !== 'raw/removed') return
    const { kind: name, ...more } = event
    events.push({ name, ...more })
  })
  const room = new RawReports(
    rawContext({
      ...{ store, clock, folder },
      accounts: fake<Accounts>('accounts', {
        account,
        list: () => accounts,
        clientFor: async (id) => {
          account(id)
          const service = services.get(id)
          if (!service) throw new DeskFailure({ kind: 'no-token', message: 'There is no token.' })
          return service.client
        },
      }),
      settings: settingsWith(() => given.settings),
      events: bus,
      downloads: fake<Downloads>('downloads', {
        savedState: (_account, report) => saved.get(report) ?? 'none',
        reportReady: async (_account, { id }) => {
          given.ready.push(id)
          if (!saving.answers) await never
          if (given.ready.length > 3) throw new Error('There is no room for it')
        },
      }),
      news: {
        announce: async (told, handing) => {
          await Promise.resolve()
          if (!desktop.takes) throw new Error('The desktop refuses')
          handing()
          shown.push(newsText(told))
          news.push(told)
          if (!desktop.answers) await never
        },
      },
    }),
  )
  const tell = (event: AccountEvent) => bus.emit(event)
  return Object.assign(room, { tell })
}

/** A world with a room in it, and its first service. */
export async function roomWith(changes: { readonly store?: Store } = {}) {
  const given = await harness(changes)
  const service = given.services.get(firstId) ?? new FakeService()
  return { ...given, given, service, room: roomIn(given) }
}

/** Everything that only waits for promises has happened. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await settled()
}
