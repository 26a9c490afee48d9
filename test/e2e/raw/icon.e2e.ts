import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { startPanel } from '../helpers/panel.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { startDaemon } from './daemon.ts'
import { closeWindow, connectTo, ownDesk, seeReport } from './desk.ts'
import { startDock } from './launcher.ts'
import { otherClient } from './other-client.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const yesterday = addDays(dayAt(Date.now(), 'UTC'), -1)
const minutes = (count: number) => ({ advance: count * 60_000 })
const report = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()

it('shows in the tray what goes on, from a start without a window on, and leads to it', async () => {
  const [sandbox, panel, dock, daemon] = await Promise.all([
    startSandbox(),
    startPanel(),
    startDock(),
    startDaemon(),
  ])
  const other = otherClient(sandbox, yesterday)
  await other.request({ name: 'Short', minutes: 10 })
  const long = await other.request({ name: 'Long', minutes: 600 })
  const desk = ownDesk()
  const before = desk.start()
  const page = await before.window()
  await connectTo(page, 'Northwind', sandbox)
  await seeReport(page, 'Long')
  await before.quit()

  const app = desk.start('--hidden')
  const icon = await panel.icon()
  const labels = async () => (await icon.entries()).map(({ label }) => label)
  const pictures = async () => (await icon.pictures()).map(({ bytes }) => bytes).join()
  await expect.poll(icon.tooltip, pollOptions).toMatch(/2 reports in progress$/)
  await expect.poll(labels, pollOptions).toContain('Connected to Northwind')
  expect(await labels()).toContainEqual(expect.stringMatching(/^Long: in progress for/))
  expect(app.renderers()).toBe(0)
  // The one for dense screens is sent, twice as large as on others: crisp on both.
  expect((await icon.pictures()).map(({ width, height }) => [width, height])).toEqual([[48, 48]])
  const working = await pictures()

  // The archive comes so slowly that its download never ends here.
  const drip = { kind: 'drip', bytes: 1, everyMilliseconds: 10_000 }
  await sandbox.control('POST', '/faults', { path: 'download', times: null, does: drip })
  await sandbox.control('POST', '/clock', minutes(20))
  await expect
    .poll(icon.tooltip, pollOptions)
    .toMatch(/1 report ready, 1 report in progress, 1 file being saved$/)
  const ready = await pictures()
  await expect.poll(labels, pollOptions).toContain('Short is ready')
  // The service's answer names the file: until it comes, the report does.
  await expect
    .poll(labels, pollOptions)
    .toContainEqual(expect.stringMatching(/^Northwind Short .*\.zip: \d+ %$/))
  await expect.poll(dock, pollOptions).toMatchObject({ count: 1, progress: expect.any(Number) })

  await icon.choose('Northwind Short')
  const first = await app.window()
  await first.getByRole('list', { name: 'Downloads' }).getByRole('progressbar').waitFor()
  await closeWindow(first, app)
  await icon.choose('Long: in progress')
  const second = await app.window()
  await report(second, 'Long')
  await icon.choose('Short is ready')
  await report(second, 'Short')
  await expect.poll(dock, pollOptions).toMatchObject({ count: null })
  await closeWindow(second, app)

  await other.cancel(long)
  await expect.poll(icon.tooltip, pollOptions).toMatch(/1 report needs a look/)
  const attention = await pictures()
  await icon.activate()
  const third = await app.window()
  await seeReport(third, 'Long')
  await expect.poll(icon.tooltip, pollOptions).toBe('Traffic Desk: 1 file being saved')
  await third.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Downloads' }).click()
  await third
    .getByRole('button', { name: /^Cancel/ })
    .first()
    .click()
  await expect.poll(icon.tooltip, pollOptions).toBe('Traffic Desk: connected to Northwind')
  const idle = await pictures()
  expect(new Set([idle, working, ready, attention]).size).toBe(4)
  await expect.poll(dock, pollOptions).toEqual({ count: null, progress: null })
  expect((await daemon.all()).length).toBe(3)
  await icon.quit()
  expect(await app.ended).toBe(0)
})

it('rests while “Pause” is on, and goes on afterwards', async () => {
  const [sandbox, panel, daemon] = await Promise.all([startSandbox(), startPanel(), startDaemon()])
  await otherClient(sandbox, yesterday).request({ name: 'Meanwhile' })
  const desk = ownDesk()
  const before = desk.start()
  const page = await before.window()
  await connectTo(page, 'Northwind', sandbox)
  await seeReport(page, 'Meanwhile')
  await before.quit()
  const app = desk.start('--hidden')
  const icon = await panel.icon()
  await expect.poll(icon.tooltip, pollOptions).toMatch(/1 report in progress$/)

  await icon.choose('Pause')
  await expect.poll(icon.tooltip, pollOptions).toMatch(/^Traffic Desk: paused/)
  await sandbox.control('POST', '/clock', minutes(60))
  await icon.choose('Open Traffic Desk')
  const window = await app.window()
  const notice = window.getByRole('region', { name: 'Notices' }).getByText('Paused', { exact: true })
  await notice.waitFor()
  // What a person looks at is fetched all the same; it is not saved.
  await seeReport(window, 'Meanwhile')
  await window.getByRole('button', { name: 'Refresh' }).click()
  await expect.poll(icon.tooltip, pollOptions).toMatch(/^Traffic Desk: paused$|ready/)
  const downloads = async () => {
    const { requests } = (await sandbox.control('GET', '/requests')) as { requests: { path: string }[] }
    return requests.filter(({ path }) => path === 'raw/download').length
  }
  expect(await downloads()).toBe(0)

  await icon.choose('Pause')
  await notice.waitFor({ state: 'detached' })
  await expect.poll(downloads, pollOptions).toBe(1)
  const titles = async () => (await daemon.all()).map(({ title }) => title)
  await expect.poll(titles, pollOptions).toContain('Meanwhile is ready')
  await app.quit()
})
