import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import readSheets from 'read-excel-file/node'
import { expect, it, onTestFinished } from 'vitest'
import type { App } from '#main/app/app.ts'
import { openHandle } from '#main/database/sqlite/database.ts'
import { stateFile } from '#main/database/state/schema.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { readPrintAddress } from '#shared/exports/paper.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { ScheduleEntry, ScheduleRun } from '#shared/watch/schedules.ts'
import { readAddress } from '#shared/views/address.ts'
import { appOver, noShell } from '../src-main/app/helpers.ts'
import { temporaryFolder } from '../src-main/database/helpers.ts'

type Opened = { readonly app: App; readonly printed: string[]; readonly events: AppEvents }

/** The app over a profile, without a window. */
function openApp(folder: string, downloads: string): Opened {
  const printed: string[] = []
  const events = new AppEvents()
  const app = appOver(folder, {
    shell: {
      ...noShell,
      downloads: () => downloads,
      print: (address) => {
        printed.push(address)
        return Promise.resolve(Buffer.from('%PDF'))
      },
    },
    events,
  })
  app.begin()
  onTestFinished(() => app.close())
  return { app, printed, events }
}

/** The latest run of each schedule, once all are over. */
const ended = ({ app, events }: Opened, account: AccountId) =>
  new Promise<readonly (ScheduleRun | undefined)[]>((resolve, reject) => {
    const look = () => {
      Promise.resolve(app.handlers['schedules/list']({ account })).then((schedules) => {
        const latest = schedules.map(({ runs }) => runs[0])
        const isOver = (run: ScheduleRun | undefined) =>
          run?.state.kind === 'made' || run?.state.kind === 'skipped'
        if (latest.every(isOver)) resolve(latest)
      }, reject)
    }
    events.on('schedules/changed', look)
    look()
  })

it('makes what was due while the app was closed, whole and once', async () => {
  const [folder, downloads] = [temporaryFolder(), temporaryFolder()]
  const first = openApp(folder, downloads)
  const { handlers } = first.app
  const { id: account } = await handlers['accounts/explore-sample'](undefined)
  const save = async (name: string, address: string) =>
    (await handlers['views/save']({ account, name, address, pinned: false })).id
  const browsers = await save('Browsers', '#/reports/script/browsers?period=yesterday')
  const overview = await save('All', '#/overview?period=yesterday')
  const entry: Omit<ScheduleEntry, 'subject' | 'format'> = {
    ...{ name: 'Daily', fileNames: '{schedule} {name}', folder: null, settled: false, patience: 168 },
    rule: {
      ...{ days: { kind: 'week', weekdays: [1, 2, 3, 4, 5, 6, 7] }, hour: 0, minute: 0, zone: 'UTC' },
    },
    paused: false,
  }
  for (const format of ['csv', 'xlsx', 'pdf'] as const) {
    const subject = { kind: 'views', views: [browsers, overview] } as const
    await handlers['schedules/save']({ account, id: null, entry: { ...entry, subject, format } })
  }
  await first.app.close()
  expect(readdirSync(downloads)).toEqual([])

  // As if all had been entered some days ago.
  const handle = openHandle(stateFile(folder))
  handle.exec('UPDATE schedules SET since = since - 3 * 86400000, entered_at = since - 3 * 86400000')
  handle.close()
  const again = openApp(folder, downloads)
  // The accounts are there.
  await again.app.handlers['desk/state'](undefined)
  for (const run of await ended(again, account))
    expect(run?.state).toMatchObject({
      kind: 'made',
      files: [/Browsers/, /All/].map((name) => expect.stringMatching(name)) as unknown[],
    })
  const [schedule] = await again.app.handlers['schedules/list']({ account })
  expect(schedule?.runs.slice(1).map(({ state }) => state.kind)).toEqual(['missed', 'missed'])
  const state = schedule?.runs[0]?.state
  expect(state?.kind === 'made' && state.oldest).toBeGreaterThan(0)

  const names = readdirSync(downloads)
  expect(names.filter((name) => name.startsWith('Daily Browsers'))).toHaveLength(3)
  expect(names.filter((name) => name.startsWith('Daily All'))).toHaveLength(3)
  expect(names).toHaveLength(6)
  const fileOf = (beginning: string, ending: string) =>
    readFileSync(
      join(downloads, names.find((name) => name.startsWith(beginning) && name.endsWith(ending)) ?? ''),
    )
  expect(fileOf('Daily Browsers', '.csv').toString()).toContain('Chrome')
  expect(fileOf('Daily All', '.csv').toString()).toContain('Requests')
  for (const name of ['Daily Browsers', 'Daily All'])
    expect(fileOf(name, '.xlsx').subarray(0, 2).toString()).toBe('PK')
  const book = await readSheets(fileOf('Daily All', '.xlsx'))
  const contents = book.find(({ sheet }) => sheet === 'Contents')?.data ?? []
  const absent = contents.flatMap(([name, words]) =>
    String(words).startsWith('Not in this file: these days') ? [name] : [],
  )
  // Composed tables take a request a name.
  expect(absent).toEqual(['Script by source', 'Script by campaign', 'Direct by source', 'Direct by campaign'])
  for (const printed of again.printed) {
    const view = readAddress(readPrintAddress(printed)?.view ?? '')
    expect(view).toMatchObject({ period: { kind: 'custom' } })
  }
  expect(again.printed).toHaveLength(2)
}, 120_000)
