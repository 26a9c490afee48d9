import { isLive } from '#shared/accounts/account.ts'
import type { Account } from '#shared/accounts/account.ts'
import { invalid } from '#shared/api/failure.ts'
import { usualSettings } from '#shared/app/settings.ts'
import type { DeskSettings } from '#shared/app/settings.ts'
import { day } from '#shared/values/day.ts'
import type { Finding } from '#shared/watch/alerts.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { NewFinding } from '#main/database/state/findings-repository.ts'
import type { Store } from '#main/database/open-store.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { Findings } from '#main/watch/findings/findings.ts'
import { fake } from '#test/helpers/fake.ts'
import { account, firstId, localStore, secondId, temporaryFolder } from '../../database/helpers.ts'
import { alert, alertIdOf, news } from '../../database/state/watch.ts'
import { HandClock, settled } from '../../reports/clock.ts'

/** The computer's zone, in which the tests say their times. */
export const dayZone = Intl.DateTimeFormat().resolvedOptions().timeZone
const clockStart = new Date('2026-11-20T12:00:00').toISOString()

type Given = {
  readonly clock?: HandClock
  readonly folder?: string
  readonly store?: Store
  readonly accounts?: readonly Account[]
  /** How the findings use the store. */
  readonly run?: Store['run']
}

/** Findings over a real store and a desktop that can be told what to do. Two accounts, each with an alert. */
export async function openFindings({
  clock = new HandClock(clockStart),
  folder = temporaryFolder(),
  store = localStore(folder),
  run = store.run,
  accounts: all = [account({ dayZone }), account({ id: secondId, name: 'Other', dayZone })],
}: Given = {}) {
  const kept = { settings: usualSettings as DeskSettings, accounts: all }
  const shown: (readonly Finding[])[] = []
  const changed: string[] = []
  const desktop = { before: () => undefined as unknown, after: () => undefined as unknown }
  const events = new AppEvents()
  events.on('findings/changed', (event) => changed.push(`findings ${event.account}`))
  events.on('alerts/changed', (event) => changed.push(`alerts ${event.account}`))
  for (const each of all.filter(isLive)) await store.run('accounts/put', each)
  const listed = await store.run('alerts/list', firstId)
  if (listed.length === 0) {
    await store.run('alerts/add', { account: firstId, alert: alert(1) })
    await store.run('alerts/add', { account: secondId, alert: alert(2, { telling: 'morning' }) })
  }
  const findings = new Findings({
    ...{ store: { ...store, run }, events, clock, folder },
    settings: { read: async () => kept.settings },
    accounts: fake<Accounts>('accounts', {
      list: () => kept.accounts,
      account: (id) => {
        const found = kept.accounts.find((each) => each.id === id)
        if (!found) throw invalid('This account has been removed.', 'account')
        return found
      },
    }),
    news: {
      announceFindings: async (found, handing) => {
        await desktop.before()
        handing()
        shown.push(found)
        await desktop.after()
      },
    },
  })
  const ofAlert = {
    first: { account: firstId, alert: alertIdOf(1) },
    second: { account: secondId, alert: alertIdOf(2) },
  }
  /** Stores findings as an evaluation does; those of the second account are told in the morning. */
  async function find(which: keyof typeof ofAlert, ...found: NewFinding[]): Promise<void> {
    const { revision, episodes } = await store.run('watch/state', ofAlert[which])
    const plain = {
      ...ofAlert[which],
      revision,
      episodes,
      dataScope: null,
      morning: day('2026-11-20'),
      withdrawn: [],
    }
    await store.run('watch/record', { ...plain, news: found })
    events.emit({ kind: 'findings/changed', account: ofAlert[which].account })
  }
  return {
    ...{ findings, find, clock, store, events, kept, shown, changed, desktop },
    /** Labels of what was shown, a list for each notification. */
    told: () => shown.map((group) => group.map(({ row }) => row?.text ?? '')),
    /** Moves time in small steps, as timers expect it. */
    pass: async (minutes: number) => {
      for (let left = minutes; left > 0; left -= 1) {
        await clock.move(60_000)
        for (let turn = 0; turn < 5; turn += 1) await settled()
      }
    },
  }
}

/** A finding of a row that was found at a moment. */
export const found = (clock: HandClock, key: string, changes: Partial<NewFinding> = {}): NewFinding =>
  news(key, { foundAt: clock.now() as NewFinding['foundAt'], day: day('2026-11-19'), ...changes })
