import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { addDays, dayAt, dayToWire } from '#shared/values/day.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { openView } from '../helpers/window.ts'
import { connectTo, ownDesk } from '../raw/desk.ts'
import { askedOf, button, fillSmall, messages, openForm, row, until, waiting } from './hands.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const DAY = 86_400_000
const today = dayAt(Date.now(), 'UTC')

/** Makes a schedule some days older than it is, as one that was made before the app was closed for so long. */
function age(profile: string, days: number): void {
  const database = new Database(join(profile, 'state.sqlite'))
  const { changes } = database.prepare('UPDATE raw_schedules SET made_at = made_at - ?').run(days * DAY)
  database.close()
  expect(changes).toBe(1)
}

it('asks for a template by itself: once for all that was missed, and not again at the next start', async () => {
  const sandbox = await startSandbox()
  await sandbox.control('POST', '/behaviour', { raw: { concurrency: 100 } })
  const desk = ownDesk()
  const first = desk.start()
  const page = await first.window()
  await connectTo(page, 'Northwind', sandbox)
  await openForm(page)
  await fillSmall(page, 'By itself')
  await button(page, 'Save as template').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Template name').fill('Each day')
  await button(dialog, 'Save').click()
  await until(() => messages(page).innerText()).toContain('Template saved')
  await button(page, 'Cancel').click()
  await button(page, 'Templates').click()
  await button(dialog, 'Schedule Each day').click()
  await dialog.getByLabel('Repeat').selectOption('Every day')
  // The hour that has begun: its turn of today was before there was the schedule.
  const hour = `${String(new Date().getUTCHours()).padStart(2, '0')}:00`
  await dialog.getByLabel('Time').selectOption(hour)
  await button(dialog, 'Add schedule').click()
  // The form says when, too, before there is a schedule: what comes next is said of what is kept alone.
  const scheduled = new RegExp(`^Every day at ${hour} Next: `)
  await dialog.getByText(scheduled).waitFor()
  await first.quit()
  expect(await askedOf(sandbox, 'raw/request')).toEqual([])

  age(desk.profile, 4)
  const second = desk.start()
  const again = await second.window()
  await openView(again, 'Raw reports')
  await row(again, 'By itself').waitFor(pollOptions)
  const yesterday = dayToWire(addDays(today, -1))
  const sent = () => askedOf(sandbox, 'raw/request')
  expect(await sent()).toMatchObject([
    { parameters: { name: 'By itself', start: yesterday, end: yesterday, send_email: false } },
  ])
  await second.quit()

  const third = await desk.start().window()
  await openView(third, 'Raw reports')
  await row(third, 'By itself').waitFor()
  await button(third, 'Templates').click()
  await third.getByRole('dialog').getByText(scheduled).waitFor()
  expect(await waiting(third).count()).toBe(0)
  expect(await sent()).toHaveLength(1)
})
