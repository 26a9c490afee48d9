import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import type { Desk, DeskParts } from '#main/app/desk.ts'
import { threadLine } from '#main/workers/rpc-client.ts'
import { appThread } from '#test/helpers/app-threads.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { temporaryFolder } from '../database/helpers.ts'
import { deskOver, noShell } from './helpers.ts'

/** A desk over a folder, on which the window is told of notices. */
function desk(
  folder: string,
  given: Partial<DeskParts>,
): Desk & { readonly titles: () => readonly string[] } {
  const titles = new Set<string>()
  const made = deskOver(folder, {
    ...given,
    notify: (name, event) => {
      if (name === 'notices/changed' && 'notices' in event)
        for (const { title } of event.notices) titles.add(title)
    },
  })
  onTestFinished(made.close)
  return { ...made, titles: () => [...titles] }
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
  const { handlers, titles } = desk(temporaryFolder(), { windowFirst: false })
  await handlers['desk/remember-view']({ view: '#/reports' })
  expect(titles()).toEqual([])
  await begun[0]?.terminate()
  expect(titles()).toEqual(['Saving was interrupted'])
  await handlers['desk/remember-view']({ view: '#/overview' })
  expect((await handlers['desk/state'](undefined)).lastView).toBe('#/overview')
})

it('says that computing was interrupted where the engine ends', async () => {
  const folder = temporaryFolder()
  // The engine is asked what is in a file that the catalogue does not know.
  const month = join(folder, 'history', 'account=gone', 'report=script-browsers', 'month=2026-11')
  mkdirSync(month, { recursive: true })
  writeFileSync(join(month, '0123456789abcdef-01234567.parquet'), 'no table')
  const { begin, titles } = desk(folder, {
    openEngine: ([history, temporary]) => {
      const line = threadLine(appThread('engine'), { argv: [history, temporary], name: 'engine' })
      return { ...line, post: line.kill }
    },
  })
  begin()
  await eventually(() => {
    expect(titles()).toEqual(['Computing was interrupted'])
  })
})

it('says that reading raw rows was interrupted where their process ends', async () => {
  const { handlers, titles } = desk(temporaryFolder(), {
    openRows: ([rows, temporary]) => {
      const line = threadLine(appThread('rows'), { argv: [rows, temporary], name: 'rows' })
      return { ...line, post: line.kill }
    },
  })
  await handlers['rows/cancel']({ key: 'none' })
  await eventually(() => {
    expect(titles()).toEqual(['Reading raw rows was interrupted'])
  })
})

it('says that saving a raw report was interrupted where the archives’ thread ends', async () => {
  const folder = temporaryFolder()
  const archiveWorker = join(folder, 'crashing.mjs')
  writeFileSync(archiveWorker, 'throw new Error("out of memory")')
  const { handlers, titles } = desk(folder, { archiveWorker, shell: { ...noShell, downloads: () => folder } })
  const { id: account } = await handlers['accounts/explore-sample'](undefined)
  const query = { search: '', startsWith: false, sort: [], page: 1, limit: 20 }
  const ready = await eventually(async () => {
    const { reports } = await handlers['raw/list']({ account, query, force: true })
    const found = reports.find(({ life }) => life.state === 'ready')
    if (found === undefined) throw new Error('None is ready')
    return found
  })
  await handlers['downloads/start']({ account, report: ready.row.id, choose: false })
  await eventually(() => {
    expect(titles()).toEqual(['Saving a raw report was interrupted'])
  })
})
