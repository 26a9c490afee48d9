import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { startPanel } from '../helpers/panel.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { startDaemon } from './daemon.ts'
import { closeWindow, connectTo, ownDesk, seeReport } from './desk.ts'
import { otherClient } from './other-client.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const yesterday = addDays(dayAt(Date.now(), 'UTC'), -1)
const minutes = (count: number) => ({ advance: count * 60_000 })

it('tells once of whatever becomes of reports while the window is closed', async () => {
  const [sandbox, panel, daemon] = await Promise.all([startSandbox(), startPanel(), startDaemon()])
  const other = otherClient(sandbox, yesterday)
  await other.request({ name: 'Refused late', end: 'fail', minutes: 10 })
  await other.request({ name: 'Too slow', end: 'time-out', minutes: 10 })
  const taken = await other.request({ name: 'Taken back', minutes: 600 })
  const removed = await other.request({ name: 'Thrown away', minutes: 600 })
  await other.request({ name: 'Well made', minutes: 100 })

  const desk = ownDesk()
  const app = desk.start()
  const page = await app.window()
  await connectTo(page, 'Northwind', sandbox)
  await seeReport(page, 'Well made')
  const icon = await panel.icon()
  await expect.poll(icon.tooltip, pollOptions).toMatch(/5 reports in progress$/)
  // The sample's one that goes at midnight is told of at the first look.
  await expect.poll(daemon.displayed, pollOptions).toBe(1)
  await closeWindow(page, app)

  await sandbox.control('POST', '/clock', minutes(20))
  await other.cancel(taken)
  await expect.poll(daemon.displayed, pollOptions).toBe(4)
  await expect
    .poll(icon.tooltip, pollOptions)
    .toBe('Traffic Desk: 3 reports need a look, 2 reports in progress')

  // A list that leaves reports out makes none of them disappear.
  await sandbox.control('POST', '/behaviour', { raw: { list: 'reports-hidden' } })
  await sandbox.control('POST', '/clock', minutes(120))
  await other.remove(removed)
  await expect.poll(daemon.displayed, pollOptions).toBe(6)
  await expect.poll(icon.tooltip, pollOptions).toBe('Traffic Desk: 4 reports need a look, 1 report ready')
  const told = await daemon.all()
  expect(told.map(({ title }) => title).toSorted()).toEqual([
    'Monthly check expires in less than a day and is not saved',
    'Refused late failed',
    'Taken back was cancelled elsewhere',
    'Thrown away disappeared from the list',
    'Too slow timed out',
    'Well made is ready',
  ])
  for (const { body } of told) expect(body).toMatch(/^Northwind\b/)
  await app.quit()
})
