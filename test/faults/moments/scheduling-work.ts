import { join } from 'node:path'
import { instantOf } from '#shared/values/ids.ts'
import type { SavedView } from '#shared/views/saved-views.ts'
import type { ScheduleId } from '#shared/watch/schedules.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import { openSession } from '#main/database/store-session.ts'
import { Exports } from '#main/exports/exports.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Reports } from '#main/reports/reports.ts'
import { ReportSchedules } from '#main/watch/schedules/report-schedules.ts'
import { fake } from '#test/helpers/fake.ts'
import { account, firstId } from '#test/src-main/database/helpers.ts'
import { entryWith, viewIds } from '#test/src-main/database/state/watch.ts'
import { asking, exportsContext, textRow } from '#test/src-main/exports/helpers.ts'
import { HandClock } from '#test/src-main/reports/clock.ts'
import { sayStored, workUntilKilled } from './working.ts'

/** What such a process works on: the days from the one after `from`, up to `to`. */
export type SchedulingOrders = {
  /** Has a profile folder, and one for files. */
  readonly folder: string
  readonly from: number
  readonly to: number
}

const aDay = 86_400_000
const rows = Array.from({ length: 500 }, (_, nth) => textRow(`browser ${nth}`, nth, 1, 2, 3, 4, 5, 6))
const acme = account({ dayZone: 'UTC' })
const schedule = '55555555-5555-4555-8555-555555555555' as ScheduleId

const viewOf = (id: SavedView['id'], name: string): SavedView => ({
  ...{ id, name, address: '#/reports/script/browsers?period=yesterday' },
  ...{ pinned: false, depth: null, start: false },
})

/** Lets a schedule make its two files, one day after the other. */
await workUntilKilled<SchedulingOrders>(async ({ folder, from, to }) => {
  const session = openSession(join(folder, 'profile'))
  const run: StateStore['run'] = (name, argument) => Promise.resolve(session.run(name, argument))
  const store = fake<StateStore>('store', { run })
  const clock = new HandClock('2026-01-01T08:00:00Z')
  const entry = entryWith({ format: 'csv' })
  if ((await run('schedules/list', firstId)).length === 0) {
    await run('accounts/put', acme)
    for (const [nth, id] of viewIds.entries())
      await run('views/add', { account: firstId, view: viewOf(id, `View ${nth + 1}`) })
    const since = instantOf(clock.now())
    await run('schedules/put', { schedule: { ...entry, id: schedule, account: firstId, since }, isNew: true })
  }
  const events = new AppEvents()
  const accounts = fake<Accounts>('accounts', {
    ...{ account: () => acme, list: () => [acme], standingOf: () => 'as ever' },
  })
  const reports = fake<Reports>('reports', {
    ...asking({ rows }),
    storeWhole: () => Promise.resolve(),
    storedOf: () => Promise.resolve({ days: 1, total: 1, oldest: null, bytes: 0 }),
  })
  const context = exportsContext(join(folder, 'Downloads'), {
    ...{ accounts, reports, events, workFolder: join(folder, 'work') },
  })
  const schedules = new ReportSchedules({
    ...{ store, accounts, reports, events, clock, exports: new Exports(context) },
    ...{ settings: context.settings, folder: join(folder, 'profile'), lock: { locked: false } },
    shell: fake<SystemShell>('shell', {}),
    packOf: () => Promise.reject(new TypeError('There is no case')),
    news: { announceRuns: (_, handing) => Promise.resolve(handing()) },
  })
  await clock.move(from * aDay)
  schedules.start()
  await schedules.atRest()
  return {
    work: async (round) => {
      const day = from + 1 + round
      if (day > to) return false
      await clock.move(aDay)
      await schedules.atRest()
      sayStored({ day })
      return true
    },
    close: async () => {
      await schedules.stop()
      await context.jobs.stop()
      session.close()
    },
  }
})
