import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dayAt } from '#shared/values/day.ts'
import { startDesk } from './helpers/app.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { ownDownloads } from './helpers/own-downloads.ts'
import { startPanel } from './helpers/panel.ts'
import { pollOptions } from './helpers/poll-options.ts'
import { commandOf, familyOf } from './helpers/processes.ts'
import { startSandbox } from './helpers/sandbox.ts'
import { connect, openView, status } from './helpers/window.ts'
import { otherClient } from './raw/other-client.ts'

it('leads from a view that keeps crashing to a plain page, and from there to the others, and goes on meanwhile', async () => {
  const { folder, env } = ownDownloads()
  const [sandbox, panel] = await Promise.all([startSandbox(), startPanel()])
  const desk = await startDesk({ profile: temporaryFolder('crashing'), env })
  await connect(desk.page, { name: 'Northwind', address: sandbox.address, token: sandbox.tokens.admin })
  await expect.poll(() => status(desk.page).innerText(), pollOptions).toMatch(/^As of /)
  // It comes so slowly that it takes two minutes.
  const other = otherClient(sandbox, dayAt(Date.now(), 'UTC'))
  const archive = await other.archive(await other.idOf('Monthly check'))
  const drip = { kind: 'drip', bytes: Math.ceil(archive.length / 1200), everyMilliseconds: 100 }
  await sandbox.control('POST', '/faults', { path: 'download', times: null, does: drip })
  await openView(desk.page, 'Raw reports')
  const report = desk.page.getByRole('row').filter({ hasText: 'Monthly check' })
  await report.getByRole('button', { name: 'Download', exact: true }).click()
  /** How much of it lies on the disk, in bytes. */
  const got = () => {
    const part = readdirSync(folder).find((name) => name.endsWith('.part'))
    return part === undefined ? 0 : statSync(join(folder, part)).size
  }
  await expect.poll(got, pollOptions).toBeGreaterThan(0)
  const icon = await panel.icon()

  const renderers = () => familyOf(desk.pid).filter((pid) => commandOf(pid).includes('--type=renderer'))
  const crash = async () => {
    const before = renderers()
    for (const pid of before) process.kill(pid, 'SIGKILL')
    await expect.poll(() => renderers().some((pid) => !before.includes(pid))).toBe(true)
    return await desk.rejoin()
  }
  const again = await crash()
  await again.getByText('The window stopped').waitFor()
  const plain = await crash()
  await plain.getByRole('heading', { name: 'This view keeps crashing' }).waitFor()
  const before = got()
  await expect.poll(got, pollOptions).toBeGreaterThan(before)
  expect(before).toBeGreaterThan(0)
  expect(await icon.tooltip()).toMatch(/1 file being saved$/)
  expect((await icon.entries()).map(({ label }) => label)).toContain('Open Traffic Desk')
  await plain.getByRole('link', { name: 'Settings' }).click()
  await plain.getByText('The window stopped').waitFor()
  expect(await desk.quit()).toBe(0)
})
