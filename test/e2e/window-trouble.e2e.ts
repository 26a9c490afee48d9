import { expect, it } from 'vitest'
import { startDesk } from './helpers/app.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { commandOf, familyOf } from './helpers/processes.ts'

it('leads from a view that keeps crashing to a plain page, and from there to the others', async () => {
  const desk = await startDesk({ profile: temporaryFolder('crashing') })
  await desk.page.getByRole('heading', { level: 1 }).waitFor()
  const renderers = () => familyOf(desk.pid).filter((pid) => commandOf(pid).includes('--type=renderer'))
  const crash = async () => {
    const before = renderers()
    for (const pid of before) process.kill(pid, 'SIGKILL')
    await expect.poll(() => renderers().some((pid) => !before.includes(pid))).toBe(true)
    return await desk.rejoin()
  }
  const again = await crash()
  await again.getByText('The window had stopped').waitFor()
  const plain = await crash()
  await plain.getByRole('heading', { name: 'This view keeps crashing' }).waitFor()
  await plain.getByRole('link', { name: 'Settings' }).click()
  await plain.getByText('The window had stopped').waitFor()
  expect(await desk.quit()).toBe(0)
})
