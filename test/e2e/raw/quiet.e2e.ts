import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { startEmptyBus } from '../helpers/bus.ts'
import { startPanel } from '../helpers/panel.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { connect, status } from '../helpers/window.ts'
import { startDaemon } from './daemon.ts'
import { closeWindow, connectTo, keepRunning, ownDesk, seeReport, turn } from './desk.ts'
import { otherClient } from './other-client.ts'

const yesterday = addDays(dayAt(Date.now(), 'UTC'), -1)
const minutes = (count: number) => ({ advance: count * 60_000 })

it('leaves a person in peace who does not want to be disturbed, and loses nothing by it', async () => {
  const [sandbox, panel, daemon] = await Promise.all([startSandbox(), startPanel(), startDaemon()])
  await otherClient(sandbox, yesterday).request({ name: 'In the meeting' })
  const app = ownDesk().start()
  const page = await app.window()
  await connectTo(page, 'Northwind', sandbox)
  await seeReport(page, 'In the meeting')
  const icon = await panel.icon()
  await expect.poll(daemon.displayed, pollOptions).toBe(1)
  await daemon.all()
  await daemon.disturb(false)
  await closeWindow(page, app)

  await sandbox.control('POST', '/clock', minutes(60))
  await expect.poll(icon.tooltip, pollOptions).toMatch(/1 report ready/)
  await expect.poll(daemon.waiting, pollOptions).toBe(1)
  expect(await daemon.displayed()).toBe(0)
  await daemon.disturb(true)
  await expect.poll(daemon.displayed, pollOptions).toBe(1)
  await daemon.click()
  await (await app.window()).getByRole('heading', { name: 'In the meeting' }).waitFor()
  await app.quit()
})

it('tells in the window what no notification can, once, and that there is no tray', async () => {
  const [sandbox, { address: bus }] = await Promise.all([startSandbox(), startEmptyBus()])
  const other = otherClient(sandbox, yesterday)
  await other.request({ name: 'Before', minutes: 10 })
  await other.request({ name: 'After', minutes: 100 })
  const desk = ownDesk({ DBUS_SESSION_BUS_ADDRESS: bus })
  const app = desk.start()
  const page = await app.window()
  const { address, tokens } = sandbox
  await connect(page, { name: 'Northwind', address, token: tokens.admin })
  // Without a session bus of one's own there is no keychain either.
  await page.getByRole('button', { name: 'Keep for this session only' }).click()
  await expect.poll(() => status(page).innerText(), pollOptions).toMatch(/^As of /)
  const notices = page.getByRole('region', { name: 'Notices' })
  await page.getByRole('button', { name: /^Dismiss: Monthly check expires in less than a day/ }).click()
  await turn(page, keepRunning, keepRunning)
  await notices.getByText('No tray found for the Traffic Desk icon').waitFor()
  await seeReport(page, 'After')
  await closeWindow(page, app)
  await sandbox.control('POST', '/clock', minutes(20))
  const looked = async () => {
    const { requests } = (await sandbox.control('GET', '/requests')) as { requests: { path: string }[] }
    return requests.filter(({ path }) => path === 'raw/report').length
  }
  // Rows and size are asked for when it is about to be told.
  await expect.poll(looked, pollOptions).toBeGreaterThan(0)

  // Started once more, as the notice says, its window opens again.
  const more = desk.start()
  expect(await more.ended).toBe(0)
  const again = await app.window()
  const told = again.getByRole('region', { name: 'Notices' })
  await told.getByText('Before is ready').waitFor()
  await told.getByText('Shown here because this desktop shows no notifications').waitFor()
  await told.getByRole('button', { name: 'Dismiss: Before is ready' }).click()
  await closeWindow(again, app)

  // Notifications can be shown now, and what was told in the window does not come again.
  const daemon = await startDaemon(bus)
  await sandbox.control('POST', '/clock', minutes(120))
  await expect.poll(daemon.displayed, pollOptions).toBe(1)
  expect((await daemon.all()).map(({ title }) => title)).toEqual(['After is ready'])
  await app.quit()
})

it('says by a notification that it goes on where its icon has no place', async () => {
  const [sandbox, daemon] = await Promise.all([startSandbox(), startDaemon()])
  const app = ownDesk().start()
  const page = await app.window()
  await connectTo(page, 'Northwind', sandbox)
  await expect.poll(daemon.displayed, pollOptions).toBe(1)
  await closeWindow(page, app)
  await expect.poll(daemon.displayed, pollOptions).toBe(2)
  await daemon.press('Open', 'Traffic Desk keeps running')
  await closeWindow(await app.window(), app)
  expect((await daemon.all()).map(({ title }) => title).slice(1)).toEqual(['Traffic Desk keeps running'])
  await app.quit()
})
