import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dayAt } from '#shared/values/day.ts'
import { startPanel } from '../helpers/panel.ts'
import type { PanelIcon } from '../helpers/panel.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { requestReport } from '../helpers/raw-reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { openView } from '../helpers/window.ts'
import { startDaemon } from './daemon.ts'
import { closeWindow, connectTo, ownDesk } from './desk.ts'
import { otherClient } from './other-client.ts'

const labels = async (icon: PanelIcon) => (await icon.entries()).map(({ label }) => label)

it('makes, announces and saves a raw report while the window is closed', async () => {
  const [sandbox, panel, daemon] = await Promise.all([startSandbox(), startPanel(), startDaemon()])
  const desk = ownDesk()
  const app = desk.start()
  const page = await app.window()
  await connectTo(page, 'Northwind', sandbox)
  const icon = await panel.icon()
  // One of the first reports goes at midnight, and is told of at the first look.
  await expect.poll(daemon.displayed, pollOptions).toBe(1)
  await daemon.all()

  await openView(page, 'Raw reports')
  await requestReport(page, 'Weekly bad traffic')
  await expect
    .poll(() => labels(icon), pollOptions)
    .toContainEqual(expect.stringMatching(/^Weekly bad traffic: in progress/))
  await expect.poll(icon.tooltip, pollOptions).toBe('Traffic Desk: 1 report in progress')
  const working = (await icon.pictures())[0]?.bytes
  await closeWindow(page, app)
  await sandbox.control('POST', '/clock', { advance: 3_600_000 })

  await expect.poll(daemon.displayed, pollOptions).toBe(1)
  const saved = () => readdirSync(desk.folder).filter((name) => name.endsWith('.zip'))
  await expect.poll(saved, pollOptions).toHaveLength(1)
  await expect.poll(icon.tooltip, pollOptions).toBe('Traffic Desk: 1 report ready')
  expect((await icon.pictures())[0]?.bytes).not.toBe(working)
  expect(await labels(icon)).toContain('Weekly bad traffic is ready')
  const [file = ''] = saved()
  expect(file).toMatch(/^Northwind Weekly bad traffic .*\.zip$/)
  const other = otherClient(sandbox, dayAt(Date.now(), 'UTC'))
  const archive = await other.archive(await other.idOf('Weekly bad traffic'))
  expect(readFileSync(join(desk.folder, file)).equals(archive)).toBe(true)
  expect(readdirSync(desk.folder)).toEqual([file])

  await daemon.click()
  await (await app.window()).getByRole('heading', { name: 'Weekly bad traffic' }).waitFor()
  const [, told, ...more] = await daemon.all()
  expect(told?.title).toBe('Weekly bad traffic is ready')
  expect(told?.body).toMatch(/^Northwind · [\d,.]+ rows · [\d.,]+ [kM]?B$/)
  expect(more).toEqual([])
  await icon.quit()
  expect(await app.ended).toBe(0)
})
