import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { startDaemon } from './daemon.ts'
import { connectTo, ownDesk, seeReport, turn } from './desk.ts'
import { otherClient } from './other-client.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const yesterday = addDays(dayAt(Date.now(), 'UTC'), -1)
const anHour = { advance: 3_600_000 }

it('tells at the next start, once, what happened while the app was closed; of many in one', async () => {
  const [sandbox, daemon] = await Promise.all([startSandbox(), startDaemon()])
  const other = otherClient(sandbox, yesterday)
  await other.request({ name: 'Overnight' })
  await other.request({ name: 'Nobody asked', end: 'time-out' })

  const desk = ownDesk()
  const first = desk.start()
  const page = await first.window()
  await connectTo(page, 'Northwind', sandbox)
  await turn(page, 'A report timed out', 'An unsaved report expires tomorrow')
  await seeReport(page, 'Nobody asked')
  await first.quit()
  await sandbox.control('POST', '/clock', anHour)
  // What expires was told of at the first look, before it was switched off.
  const before = (await daemon.all()).length

  const second = desk.start('--hidden')
  await expect.poll(daemon.displayed, pollOptions).toBe(1)
  await second.quit()
  // Asked for and ended with no desk there at all: they are in the next list for the first time.
  for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await other.request({ name })
  await sandbox.control('POST', '/clock', anHour)

  const third = desk.start('--hidden')
  await expect.poll(daemon.displayed, pollOptions).toBe(2)
  // It leads to the list, since it is about many.
  await daemon.press('Open', 'Raw reports: 5 are ready')
  const list = (await third.window()).getByRole('table', { name: 'Raw reports' })
  await list.getByText('Three').first().waitFor()
  await third.quit()
  const [overnight, summary, ...more] = (await daemon.all()).slice(before)
  expect(overnight).toMatchObject({
    title: 'Overnight is ready',
    body: expect.stringMatching(/^Northwind\b/),
  })
  expect(summary?.title).toBe('Raw reports: 5 are ready')
  expect(summary?.body).toMatch(/^Northwind: (?:(?:One|Two|Three|Four|Five), ){3}and 2 more$/)
  expect(more).toEqual([])
})
