import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { startFileManager } from '../helpers/file-manager.ts'
import { startPanel } from '../helpers/panel.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { startDaemon } from './daemon.ts'
import { closeWindow, connectTo, ownDesk, seeReport, turn } from './desk.ts'
import { otherClient } from './other-client.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const yesterday = addDays(dayAt(Date.now(), 'UTC'), -1)
const minutes = (count: number) => ({ advance: count * 60_000 })

it('does from a notification what its buttons say: save, show in the folder, open', async () => {
  const [sandbox, panel, daemon, shown] = await Promise.all([
    startSandbox(),
    startPanel(),
    startDaemon(),
    startFileManager(),
  ])
  const other = otherClient(sandbox, yesterday)
  const force = await other.request({ name: 'By hand', minutes: 10 })
  await other.request({ name: 'By itself', minutes: 100 })
  const desk = ownDesk()
  const app = desk.start()
  const page = await app.window()
  await connectTo(page, 'Northwind', sandbox)
  await turn(page, 'An unsaved report expires tomorrow')
  await page.getByRole('radio', { name: 'None', exact: true }).check()
  await seeReport(page, 'By itself')
  await expect.poll(daemon.displayed, pollOptions).toBe(1)
  const icon = await panel.icon()

  await sandbox.control('POST', '/clock', minutes(20))
  await expect.poll(daemon.displayed, pollOptions).toBe(2)
  expect(readdirSync(desk.folder)).toEqual([])
  await daemon.press('Save', 'By hand is ready')
  const saved = () => readdirSync(desk.folder).filter((name) => name.endsWith('.zip'))
  await expect.poll(saved, pollOptions).toHaveLength(1)
  const file = join(desk.folder, saved()[0] ?? '')
  expect(readFileSync(file).equals(await other.archive(force))).toBe(true)

  // What is saved by itself needs no saving: its notification leads to the file.
  await turn(page)
  await page.getByRole('radio', { name: 'Every report' }).check()
  await closeWindow(page, app)
  await sandbox.control('POST', '/clock', minutes(120))
  await expect.poll(saved, pollOptions).toHaveLength(2)
  await expect.poll(daemon.displayed, pollOptions).toBe(3)
  await daemon.press('Show in folder', 'By itself is ready')
  await expect.poll(() => shown.length, pollOptions).toBe(1)
  const [second] = saved().filter((name) => join(desk.folder, name) !== file)
  expect(shown).toEqual([pathToFileURL(join(desk.folder, second ?? '')).href])

  // The button that a click is, too.
  await daemon.press('Open', 'By itself is ready')
  await (await app.window()).getByRole('heading', { name: 'By itself' }).waitFor()
  expect((await daemon.all()).map(({ title }) => title)).toEqual([
    'Monthly check expires in less than a day and is not saved',
    'By hand is ready',
    'By itself is ready',
  ])
  await icon.quit()
  expect(await app.ended).toBe(0)
})
