import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { startPanel } from '../helpers/panel.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { mainNavigation } from '../helpers/window.ts'
import { startDaemon } from './daemon.ts'
import { addAccountTo, closeWindow, connectTo, ownDesk } from './desk.ts'
import { otherClient } from './other-client.ts'

/**
 * What expires is judged by this computer's clock. The services' calendar is behind: of their first reports, which go 31
 * days after they were asked for, one has less than a day left here and one less than two.
 */
const today = addDays(dayAt(Date.now(), 'UTC'), -28)
const yesterday = addDays(today, -1)
const minutes = (count: number) => ({ advance: count * 60_000 })

const account = (page: Page): Locator => page.getByRole('button', { name: /^Account: / })
const report = (page: Page, name: string): Locator => page.getByRole('heading', { name, exact: true })

it('watches two accounts at once: each notification names its account and leads to the report there', async () => {
  const [northwind, contoso, panel, daemon] = await Promise.all([
    startSandbox({ seed: 21, today }),
    startSandbox({ seed: 22, today }),
    startPanel(),
    startDaemon(),
  ])
  const [there, elsewhere] = [otherClient(northwind, yesterday), otherClient(contoso, yesterday)]
  await there.remove(await there.idOf('Bad at 50%'))
  await elsewhere.remove(await elsewhere.idOf('Requests of yesterday'))
  await there.request({ name: 'Northern', end: 'fail' })
  await elsewhere.request({ name: 'Southern', end: 'fail' })
  const desk = ownDesk()
  const app = desk.start()
  const page = await app.window()
  await connectTo(page, 'Northwind', northwind)
  await addAccountTo(page, 'Contoso', contoso)
  await expect.poll(daemon.displayed, pollOptions).toBe(2)
  const icon = await panel.icon()
  await expect.poll(icon.tooltip, pollOptions).toMatch(/2 reports in progress$/)

  // The window is open, at another account, of which one instance is looked at.
  await expect.poll(() => account(page).innerText()).toBe('Contoso')
  await page.evaluate((hash) => (location.hash = hash), '#/overview?instance=4123')
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
  await daemon.press('Open', 'Requests of yesterday')
  await report(page, 'Requests of yesterday').waitFor()
  expect(await account(page).innerText()).toBe('Northwind')
  const overview = mainNavigation(page).getByRole('link', { name: 'Overview', exact: true })
  expect(await overview.getAttribute('href')).toBe('#/overview')
  // The window is closed; when it was, that account was the active one.
  await closeWindow(page, app)
  await daemon.press('Open', 'Bad at 50%')
  const again = await app.window()
  await report(again, 'Bad at 50%+ / "é 中"').waitFor()
  expect(await account(again).innerText()).toBe('Contoso')

  // Both go on being watched, whichever is the active one.
  await closeWindow(again, app)
  for (const each of [northwind, contoso]) await each.control('POST', '/clock', minutes(60))
  await expect.poll(async () => (await panel.icon()).tooltip(), pollOptions).toMatch(/2 reports need a look/)
  await icon.choose('Open Traffic Desk')
  await mainNavigation(await app.window()).waitFor()
  const told = (await daemon.all()).map(({ title, body }) => `${title}: ${body.split(' · ')[0]}`)
  expect(told.toSorted()).toEqual([
    'Bad at 50%+ / "é 中" expires in less than a day and is not saved: Contoso',
    'Northern failed: Northwind',
    'Requests of yesterday expires in less than three days: Northwind',
    'Southern failed: Contoso',
  ])
  await app.quit()
})
