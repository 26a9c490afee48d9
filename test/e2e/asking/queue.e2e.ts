import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import type { RunningSandbox } from '../helpers/sandbox.ts'
import { connect, openView } from '../helpers/window.ts'
import { connectTo, ownDesk } from '../raw/desk.ts'
import { otherClient } from '../raw/other-client.ts'
import { askFor, button, namesAsked, openForm, queue, row, send, table, until, waiting } from './hands.ts'

const yesterday = addDays(dayAt(Date.now(), 'UTC'), -1)
const hours = (count: number) => ({ advance: count * 3_600_000 })
const limitsOf = async (sandbox: RunningSandbox, raw: object) =>
  void (await sandbox.control('POST', '/behaviour', { raw: { secondsPerMinute: 3600, ...raw } }))

const forRoom = 'Waiting for a report in progress to finish.'
const forMinutes = 'Waiting for more processing minutes.'
const named = (name: string, words: string) => expect.stringMatching(new RegExp(`^${name}\\b.* · ${words}$`))

it('holds what the service has no room for, in the person’s order, through a restart', async () => {
  const sandbox = await startSandbox()
  await limitsOf(sandbox, { concurrency: 1, minutes: 3 })
  const desk = ownDesk()
  const first = desk.start()
  const page = await first.window()
  await connectTo(page, 'Northwind', sandbox)
  for (const name of ['First', 'Second', 'Third', 'Fourth', 'Fifth']) await askFor(page, name)
  const names = ['Second', 'Third', 'Fourth', 'Fifth']
  await until(() => queue(page)).toEqual(names.map((name) => named(name, forRoom)))
  expect(await row(page, 'First').innerText()).toContain('In progress')

  const handle = page.getByRole('button', { name: 'Move Fifth', exact: true })
  await handle.press('ArrowUp')
  await handle.press('ArrowUp')
  await handle.press('ArrowUp')
  await button(page, 'Remove Second').click()
  await button(page, 'Change Third').click()
  await button(page, 'Request report').waitFor()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Third, changed')
  await send(page)
  const rest = ['Fifth', 'Third, changed', 'Fourth']
  await until(() => queue(page)).toEqual(rest.map((name) => named(name, forRoom)))
  await first.quit()

  const again = await desk.start().window()
  await openView(again, 'Raw reports')
  await until(() => queue(again)).toEqual(rest.map((name) => named(name, forRoom)))
  expect(await namesAsked(sandbox)).toEqual(['First'])
  await sandbox.control('POST', '/clock', hours(2))
  await button(again, 'Refresh').click()
  await until(() => namesAsked(sandbox)).toEqual(['First', 'Fifth'])
  await sandbox.control('POST', '/clock', hours(2))
  await button(again, 'Refresh').click()
  await until(() => namesAsked(sandbox)).toEqual(['First', 'Fifth', 'Third, changed'])

  // The three minutes of the day are used; a further one lets the last go.
  await sandbox.control('POST', '/clock', hours(2))
  await button(again, 'Refresh').click()
  await until(() => queue(again)).toEqual([named('Fourth', forMinutes)])
  const limits = again.getByRole('region', { name: 'Limits' })
  expect(await limits.innerText()).toContain('0 of 3 processing minutes left today')
  await limits.getByText('Processing usage').click()
  expect(await limits.innerText()).toMatch(/reports[^]*minutes/i)
  await limitsOf(sandbox, { minutes: 4 })
  await button(again, 'Refresh').click()
  await until(() => waiting(again).count()).toBe(0)
  await until(() => namesAsked(sandbox)).toEqual(['First', 'Fifth', 'Third, changed', 'Fourth'])
  await row(again, 'Fourth').waitFor()
})

/** A new desk, in which the answer of the first request is lost: the report is made, and no list can be had after it. */
async function lose(name: string) {
  const sandbox = await startSandbox()
  const page = await ownDesk().start().window()
  await connectTo(page, 'Northwind', sandbox)
  await openView(page, 'Raw reports')
  await row(page, 'Networks, wide').waitFor()
  const path = 'raw/table'
  // The one list that is looked into before the request leaves.
  await sandbox.control('POST', '/faults', { path, does: { kind: 'delay', milliseconds: 1 } })
  await sandbox.control('POST', '/faults', { path, times: null, does: { kind: 'status', status: 500 } })
  await sandbox.control('POST', '/faults', { path: 'raw/request', does: { kind: 'reset' } })
  await askFor(page, name)
  await until(() => queue(page)).toEqual([
    named(name, 'The reply was lost. Checking whether the service made the report…'),
  ])
  return { sandbox, page }
}

it('finds in the list a report whose answer was lost', async () => {
  const { sandbox, page } = await lose('Lost')
  await sandbox.control('DELETE', '/faults')
  await button(page, 'Refresh').click()
  await until(() => waiting(page).count()).toBe(0)
  await row(page, 'Lost').waitFor()
  expect(await namesAsked(sandbox)).toEqual(['Lost'])
})

it('sends nothing again by itself where the list does not show it: that is for the person', async () => {
  const { sandbox, page } = await lose('Gone')
  // Before a list can be had: the app would find the report in it.
  const { raw } = (await sandbox.control('GET', '/state')) as { readonly raw: readonly { id: string }[] }
  await otherClient(sandbox, yesterday).remove(raw.at(-1)?.id ?? '')
  await sandbox.control('DELETE', '/faults')
  await button(page, 'Refresh').click()
  await until(() => queue(page)).toEqual([named('Gone', '.*Sending again may create it twice.')])
  expect(await namesAsked(sandbox)).toEqual(['Gone'])
  await button(page, 'Send again: Gone').click()
  await row(page, 'Gone').waitFor()
  expect(await namesAsked(sandbox)).toEqual(['Gone', 'Gone'])
})

it('shows what the token may see: no breakdown of use to one that is not an administrator’s', async () => {
  const sandbox = await startSandbox()
  const page = await ownDesk().start().window()
  await connect(page, { name: 'Limited', address: sandbox.address, token: sandbox.tokens.limited })
  await openForm(page)
  await button(page, 'Cancel').click()
  await table(page).waitFor()
  const limits = page.getByRole('region', { name: 'Limits' })
  expect(await limits.innerText()).toMatch(/360 of 360 processing minutes left today/)
  expect(await limits.innerText()).not.toContain('Processing usage')
})
