import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { canMakeDisks } from '../helpers/disk.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { openView } from '../helpers/window.ts'
import { connectedDesk, download, expectSaved, namesIn, press, says, underWay } from './hands.ts'
import { handedOut, readyReport, slowDown } from './made-reports.ts'

it('goes on where it was after the app was quit, and after it was killed', async () => {
  const sandbox = await startSandbox()
  const desk = await connectedDesk(sandbox, 'None')
  const report = await readyReport(sandbox, 'Long')
  await slowDown(sandbox, report, 600)
  await sandbox.control('DELETE', '/requests')
  await download(desk.page, report.name)
  await openView(desk.page, 'Downloads')
  await says(desk.page, report.name, underWay)
  await desk.app.quit()
  expect(namesIn(desk.folder)).toEqual([expect.stringMatching(/^Northwind Long .*\.zip\.part$/)])

  const second = await desk.start()
  await openView(second.page, 'Downloads')
  await says(second.page, report.name, underWay)
  await expect.poll(() => handedOut(sandbox), pollOptions).toEqual([200, 206])
  await second.kill()
  expect(namesIn(desk.folder)).toEqual([expect.stringMatching(/\.zip\.part$/)])

  await sandbox.control('DELETE', '/faults')
  const third = await desk.start()
  await openView(third.page, 'Downloads')
  await says(third.page, report.name, /Saved /)
  expect(await handedOut(sandbox)).toEqual([200, 206, 206])
  expect(namesIn(desk.folder)).toHaveLength(1)
  await expectSaved(desk.folder, report)
  await third.quit()
})

it.skipIf(!canMakeDisks)('waits in words while the disk is full, and goes on by itself', async () => {
  const sandbox = await startSandbox()
  const desk = await connectedDesk(sandbox, 'None')
  const report = await readyReport(sandbox, 'Large')
  const room = Math.ceil(report.bytes.length / 1024) + 200
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${room}k`, 'tmpfs', desk.folder])
  onTestFinished(() => void execFileSync('umount', ['--lazy', desk.folder]))
  const filler = join(desk.folder, 'filler')
  writeFileSync(filler, Buffer.alloc(250 * 1024))
  await download(desk.page, report.name)
  await openView(desk.page, 'Downloads')
  await says(desk.page, report.name, /Paused: the disk is full\. It resumes once there is space/)
  expect(namesIn(desk.folder).filter((name) => name.endsWith('.zip'))).toEqual([])
  rmSync(filler)
  await says(desk.page, report.name, /Saved /)
  await expectSaved(desk.folder, report)
})

it('says why a file was not saved, tries again, and notices what became of files that were', async () => {
  const sandbox = await startSandbox()
  const { page, folder } = await connectedDesk(sandbox, 'None')
  const report = await readyReport(sandbox, 'Broken')
  await sandbox.control('POST', '/faults', {
    path: 'download',
    does: { kind: 'redirect', to: 'file:///etc/hostname' },
  })
  await download(page, report.name)
  await openView(page, 'Downloads')
  await says(
    page,
    report.name,
    /Not saved\. The download address starts with file:, not https\. The download was refused\./,
  )
  expect(namesIn(folder)).toEqual([])
  await press(page, report.name, 'Retry')
  await says(page, report.name, /Saved /)
  await expectSaved(folder, report)

  // Deleted by hand: it is noticed when the list is looked at again, and fetched anew.
  for (const name of namesIn(folder)) rmSync(join(folder, name))
  await openView(page, 'Settings')
  await openView(page, 'Downloads')
  await says(page, report.name, /The file was moved or deleted\. You can download it again for /)
  await press(page, report.name, 'Download again')
  await says(page, report.name, /Saved /)
  await expectSaved(folder, report)

  // The service deletes a report before its time: what was not saved cannot be had any more, in words.
  const gone = await readyReport(sandbox, 'Gone')
  await slowDown(sandbox, gone, 600)
  await download(page, gone.name)
  await openView(page, 'Downloads')
  await says(page, gone.name, underWay)
  await press(page, gone.name, 'Pause')
  await sandbox.control('DELETE', '/faults')
  await sandbox.control('POST', '/clock', { advance: 40 * 86_400_000 })
  await press(page, gone.name, 'Resume')
  await says(page, gone.name, /Not saved\. The service no longer has this raw report/)
  await expectSaved(folder, report)
})
