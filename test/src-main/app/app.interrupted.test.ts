import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import type { App } from '#main/app/app.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import { appThread } from '#test/helpers/app-threads.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { temporaryFolder } from '../database/helpers.ts'
import { appOver, askForRows, folderWithAccount, noShell } from './helpers.ts'

/** An app over a folder, and the titles of the notices that windows are told of. */
function appWith(
  folder: string,
  given: Parameters<typeof appOver>[1],
): { readonly app: App; readonly titles: () => readonly string[] } {
  const titles = new Set<string>()
  const events = new AppEvents()
  events.on('notices/changed', ({ notices }) => {
    for (const { title } of notices) titles.add(title)
  })
  const app = appOver(folder, { ...given, events })
  onTestFinished(() => app.close())
  return { app, titles: () => [...titles] }
}

/** Every thread that is begun while the test runs. */
function threads(): readonly Worker[] {
  const begun: Worker[] = []
  const onWorker = (worker: Worker) => begun.push(worker)
  process.on('worker', onWorker)
  onTestFinished(() => void process.off('worker', onWorker))
  return begun
}

it('says that saving was interrupted where the store’s thread ends, and goes on saving', async () => {
  const begun = threads()
  const { app, titles } = appWith(temporaryFolder(), { windowFirst: null })
  await app.handlers['desk/remember-view']({ view: '#/reports' })
  expect(titles()).toEqual([])
  await begun[0]?.terminate()
  expect(titles()).toEqual(['Saving was interrupted'])
  await app.handlers['desk/remember-view']({ view: '#/overview' })
  expect((await app.handlers['desk/state'](undefined)).lastView).toBe('#/overview')
})

it('says that computing was interrupted where the engine ends', async () => {
  const folder = temporaryFolder()
  // The engine is asked what is in a file that the catalogue does not know.
  const month = join(folder, 'history', 'account=gone', 'report=script-browsers', 'month=2026-11')
  mkdirSync(month, { recursive: true })
  writeFileSync(join(month, '0123456789abcdef-01234567.parquet'), 'no table')
  const { app, titles } = appWith(folder, {
    openEngine: ([history, temporary]) => {
      const channel = threadChannel(appThread('engine'), {
        argv: ['figures', history, temporary],
        name: 'engine',
      })
      return { ...channel, post: channel.kill }
    },
  })
  app.begin()
  await eventually(() => {
    expect(titles()).toEqual(['Computing was interrupted'])
  })
})

it('says that reading raw rows was interrupted where their process ends', async () => {
  const { app, titles } = appWith(await folderWithAccount(), {
    openRows: ([rows, temporary]) => {
      const channel = threadChannel(appThread('engine'), { argv: ['rows', rows, temporary], name: 'rows' })
      return { ...channel, post: channel.kill }
    },
  })
  await app.handlers['desk/state'](undefined)
  await askForRows(app).catch(() => undefined)
  await eventually(() => {
    expect(titles()).toEqual(['Reading raw rows was interrupted'])
  })
})

it('says that saving a raw report was interrupted where the process of an archive ends', async () => {
  const folder = temporaryFolder()
  const archives = join(folder, 'crashing.mjs')
  writeFileSync(archives, 'throw new Error("out of memory")')
  const { app, titles } = appWith(folder, {
    openArchive: () => threadChannel(archives, {}),
    shell: { ...noShell, downloads: () => folder },
  })
  const { id: account } = await app.handlers['accounts/explore-sample'](undefined)
  const query = { search: '', startsWith: false, sort: [], page: 1, limit: 20 }
  const ready = await eventually(async () => {
    const { reports } = await app.handlers['raw/list']({ account, query, force: true })
    const found = reports.find(({ life }) => life.state === 'ready')
    if (found === undefined) throw new Error('None is ready')
    return found
  })
  await app.handlers['downloads/start']({ account, report: ready.row.id, choose: false })
  await eventually(() => {
    expect(titles()).toEqual(['Saving a raw report was interrupted'])
  })
})
