import { expect, it } from 'vitest'
import { pollOptions } from '../helpers/poll-options.ts'
import { familyOf, filesOpenIn } from '../helpers/processes.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { openView } from '../helpers/window.ts'
import { connectedDesk, download, entry, expectSaved, namesIn, press, says, underWay } from './hands.ts'
import { readyReport, slowDown } from './made-reports.ts'

it('saves three at once in the order that the person gives them, paused, gone on with and given up by hand', async () => {
  const sandbox = await startSandbox()
  const { app, page, folder } = await connectedDesk(sandbox, 'None')
  const names = ['One', 'Two', 'Three', 'Four', 'Five']
  const reports = []
  for (const name of names) reports.push(await readyReport(sandbox, `Report ${name}`))
  const [one, two, three, four, five] = reports
  if (!one || !two || !three || !four || !five) throw new TypeError('There are five')
  await slowDown(sandbox, one, 600)
  for (const { name } of reports) await download(page, name)
  await openView(page, 'Downloads')
  for (const { name } of [four, five]) await says(page, name, /Waiting for its turn/)
  for (const { name } of [one, two, three]) {
    await says(page, name, /[\d.]+ kB of [\d.]+ [kM]B · [\d.]+ k?B\/s · .+ left/)
    await says(page, name, /from 127\.0\.0\.1:\d+/)
  }
  const bar = page.getByRole('progressbar', { name: one.name })
  await expect
    .poll(async () => Number(await bar.getAttribute('aria-valuenow')), pollOptions)
    .toBeGreaterThan(0)
  expect(await bar.getAttribute('aria-valuetext')).toMatch(/ of .* left$/)

  // What comes from elsewhere is written by processes of their own, one an archive.
  const holders = familyOf(app.pid).filter((pid) => filesOpenIn(pid).some((path) => path.startsWith(folder)))
  expect(holders).toHaveLength(3)
  expect(holders).not.toContain(app.pid)

  await page.getByRole('button', { name: `Move ${five.name}` }).press('ArrowUp')
  await expect
    .poll(() =>
      page.getByRole('list', { name: 'Downloads' }).getByRole('listitem').locator('strong').allInnerTexts(),
    )
    .toEqual([one, two, three, five, four].map(({ name }) => name))
  await press(page, two.name, 'Pause')
  await says(page, two.name, /Paused · /)
  await says(page, five.name, underWay)
  await says(page, four.name, /Waiting for its turn/)
  await press(page, three.name, 'Cancel')
  await expect.poll(() => entry(page, three.name).count()).toBe(0)
  await page.getByText(`“${three.name}” is not saved.`).waitFor()
  await says(page, four.name, underWay)
  // Those that run or stand still have their parts; what was given up has none.
  await expect
    .poll(() => namesIn(folder), pollOptions)
    .toEqual(
      [five, four, one, two].map(({ name }) =>
        expect.stringMatching(new RegExp(`^Northwind ${name} .*\\.zip\\.part$`)),
      ),
    )
  await press(page, two.name, 'Resume')
  await sandbox.control('DELETE', '/faults')
  // What runs has slow connections still; stopped and gone on with, they are new ones.
  for (const { name } of [one, four, five]) {
    await press(page, name, 'Pause')
    // On a machine that has much to do it may have come to its end meanwhile.
    await says(page, name, /Paused · |Saved /)
    const resume = entry(page, name).getByRole('button', { name: 'Resume' })
    if ((await resume.count()) > 0) await resume.click()
  }
  for (const { name } of [one, two, four, five]) await says(page, name, /Saved /)
  await expectSaved(folder, one, two, four, five)
})

it('comes no faster than it may, and faster as soon as it may', async () => {
  const sandbox = await startSandbox()
  const { page, folder } = await connectedDesk(sandbox, 'None')
  const limit = page.getByLabel('Bandwidth limit, in kB per second')
  await limit.fill('10')
  await limit.press('Enter')
  // So long that a machine that has much to do still sees it under way.
  const report = await readyReport(sandbox, 'Slowly', 31)
  await download(page, report.name)
  await openView(page, 'Downloads')
  await says(page, report.name, /[\d.]+ kB of .* · (\d(\.\d)?|1[0-2](\.\d)?) kB\/s · .+ left/)
  await openView(page, 'Settings')
  await limit.fill('')
  await limit.press('Enter')
  await openView(page, 'Downloads')
  await says(page, report.name, /Saved /)
  await expectSaved(folder, report)
})
