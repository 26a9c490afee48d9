import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { App } from '#main/app/app.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import type { JobState } from '#shared/app/jobs.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import { temporaryFolder } from '../database/helpers.ts'
import { appOver, noShell } from '../app/helpers.ts'

/** A desk that saves into a folder of its own, and on which `chosen` is chosen. */
function newDesk(
  chosen: string | null = null,
  folder = temporaryFolder(),
  given: Parameters<typeof appOver>[1] = {},
) {
  const downloads = temporaryFolder()
  let restarts = 0
  const shell = {
    ...noShell,
    downloads: () => downloads,
    chooseBackup: () => Promise.resolve(chosen),
    restart: () => void (restarts += 1),
  }
  const desk = appOver(folder, { shell, ...given })
  let closed: Promise<void> | undefined
  const close = () => (closed ??= desk.close())
  onTestFinished(close)
  return { desk, downloads, folder, close, restarts: () => restarts }
}

const accountsOf = async ({ handlers }: App) =>
  (await handlers['desk/state'](undefined)).accounts.map(({ name }) => name)

const cancelAll = async ({ handlers }: App) => {
  for (const { id } of await handlers['jobs/list'](undefined)) await handlers['jobs/cancel']({ id })
}

const today = dayAt(Date.now(), 'UTC')
const query: ReportQuery = {
  ...{ ...plainTable, family: 'script', dimension: 'browsers', whole: true },
  range: { start: addDays(today, -12), end: addDays(today, -10) },
}

/** Asks the sample account for a table, and saves it whole. */
async function ask({ handlers }: App) {
  const { active } = await handlers['desk/state'](undefined)
  if (active === null) throw new Error('No account')
  return await handlers['reports/ask']({ account: active, query, force: false })
}

describe('a backup with saved figures', () => {
  it('has another desk answer the same without the service, once it is restored', async () => {
    const states: JobState[] = []
    const events = new AppEvents()
    events.on('jobs/changed', ({ job }) => void states.push(job.state))
    const first = newDesk(null, temporaryFolder(), { events })
    await first.desk.handlers['accounts/explore-sample'](undefined)
    const before = await ask(first.desk)
    const made = await first.desk.handlers['desk/back-up']({ figures: true })
    expect(made.leftOut).toBe(0)
    expect(states.map(({ kind }) => kind)).toEqual(['queued', 'running', 'running', 'done'])
    expect(states[2]).toMatchObject({ done: 1, total: 1, unit: 'files' })

    const second = newDesk(join(first.downloads, made.file))
    const facts = await second.desk.handlers['desk/choose-backup'](undefined)
    expect(facts).toMatchObject({ accounts: ['Sample data'], figures: { files: 1 } })
    await second.desk.handlers['desk/restore-backup'](undefined)
    await second.close()

    const away = newDesk(null, second.folder, { threads: { sample: join(second.folder, 'none.js') } })
    await away.desk.handlers['desk/state'](undefined)
    away.desk.begin()
    await expect
      .poll(
        () =>
          ask(away.desk).then(
            ({ kind }) => kind,
            () => null,
          ),
        { timeout: 20_000 },
      )
      .toBe('table')
    const after = await ask(away.desk)
    expect(after.figures).toEqual(before.figures)
    expect(after.provenance.fetchedAt).toBe(before.provenance.fetchedAt)
    expect(after.provenance.missing).toEqual([])
  }, 60_000)

  it('is given up where the person wants that, and leaves nothing', async () => {
    const { desk, downloads, folder } = newDesk()
    await desk.handlers['accounts/explore-sample'](undefined)
    await ask(desk)
    const made = desk.handlers['desk/back-up']({ figures: true })
    await expect.poll(() => readdirSync(downloads)).not.toEqual([])
    await cancelAll(desk)
    await expect(made).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    expect(readdirSync(downloads)).toEqual([])
    expect(readdirSync(folder)).not.toContain('state.chosen.sqlite')
  })
})

describe('a backup', () => {
  it('is made after the one before, and given up while it waits', async () => {
    const { desk, downloads } = newDesk()
    const backUp = () => desk.handlers['desk/back-up']({ figures: false })
    const [one, two] = await Promise.all([backUp(), backUp()])
    expect(readdirSync(downloads).sort()).toEqual([two.file, one.file].sort())
    const given = [backUp(), backUp()].map((each) =>
      expect(each).rejects.toMatchObject({ failure: { kind: 'cancelled' } }),
    )
    await cancelAll(desk)
    await Promise.all(given)
    expect(readdirSync(downloads)).toHaveLength(2)
  })

  it('is one file for its person alone, without the token, that another desk goes on with', async () => {
    const first = newDesk()
    await first.desk.handlers['accounts/explore-sample'](undefined)
    const { file } = await first.desk.handlers['desk/back-up']({ figures: false })
    expect(file).toMatch(/^Traffic Desk backup \d{4}-\d\d-\d\d\.zip$/)
    expect(readdirSync(first.downloads)).toEqual([file])
    const path = join(first.downloads, file)
    expect(statSync(path).mode & 0o077).toBe(0)

    const second = newDesk(path)
    expect(await second.desk.handlers['desk/choose-backup'](undefined)).toEqual({
      accounts: ['Sample data'],
      figures: null,
    })
    expect(await accountsOf(second.desk)).toEqual([])
    await second.desk.handlers['desk/restore-backup'](undefined)
    expect(second.restarts()).toBe(1)
    await second.close()

    const again = newDesk(null, second.folder)
    expect(await accountsOf(again.desk)).toEqual(['Sample data'])
    const { notices } = await again.desk.handlers['desk/state'](undefined)
    expect(notices.map(({ title }) => title)).toContain('The backup was restored')
  })

  it('that nobody agreed to is forgotten, and changes nothing', async () => {
    const first = newDesk()
    await first.desk.handlers['accounts/explore-sample'](undefined)
    const { file } = await first.desk.handlers['desk/back-up']({ figures: false })
    const second = newDesk(join(first.downloads, file))
    await second.desk.handlers['desk/choose-backup'](undefined)
    await second.desk.handlers['desk/drop-backup'](undefined)
    await expect(second.desk.handlers['desk/restore-backup'](undefined)).rejects.toMatchObject({
      failure: { kind: 'invalid' },
    })
    expect(second.restarts()).toBe(0)
    await second.close()
    expect(await accountsOf(newDesk(null, second.folder).desk)).toEqual([])
  })

  it('is not chosen where the person thought better of it, nor where the file is none', async () => {
    expect(await newDesk().desk.handlers['desk/choose-backup'](undefined)).toBeNull()
    const folder = temporaryFolder()
    const text = join(folder, 'letter.zip')
    writeFileSync(text, 'Dear Sir or Madam')
    const message = 'This file is no backup of Traffic Desk.'
    for (const path of [folder, text]) {
      const { desk } = newDesk(path)
      await expect(desk.handlers['desk/choose-backup'](undefined)).rejects.toMatchObject({
        failure: { kind: 'invalid', message },
      })
    }
    const gone = newDesk(join(folder, 'gone.zip')).desk.handlers['desk/choose-backup'](undefined)
    await expect(gone).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    expect(readFileSync(text, 'utf8')).toBe('Dear Sir or Madam')
  })
})

it('believes its process nothing that is out of form, and leaves no copy', async () => {
  const telling = `
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ kind, id }) => {
      if (kind === 'close') return parentPort.close()
      parentPort.postMessage({ kind: 'event', event: { done: 'all', total: null, unit: 'files' } })
      parentPort.postMessage({ kind: 'done', id, result: { accounts: [{}], figures: null } })
    })`
  const states: JobState[] = []
  const events = new AppEvents()
  events.on('jobs/changed', ({ job }) => void states.push(job.state))
  const { desk, folder } = newDesk(join(temporaryFolder(), 'a.zip'), temporaryFolder(), {
    events,
    openBackup: () => threadChannel(new URL(`data:text/javascript,${encodeURIComponent(telling)}`), {}),
  })
  await expect(desk.handlers['desk/choose-backup'](undefined)).rejects.toMatchObject({
    failure: { kind: 'internal' },
  })
  expect(states.map(({ kind }) => kind)).toEqual(['queued', 'running', 'failed'])
  expect(readdirSync(folder).filter((name) => name.includes('chosen'))).toEqual([])
})
