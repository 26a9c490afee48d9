import { describe, expect, it } from 'vitest'
import { debuggingAddress, joinWindow } from '#test/helpers/join-window.ts'
import { startProcess } from '../helpers/app.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { startPanel } from '../helpers/panel.ts'

/** Starts the app as the system does at login: without a window. */
function startHidden() {
  const running = startProcess({ profile: temporaryFolder('tray'), args: ['--hidden'] })
  return { ...running, debugging: debuggingAddress(running.child) }
}

describe('the tray, in a panel over the session bus', () => {
  it('opens the window, pauses and ends the app', async () => {
    const panel = await startPanel()
    const { debugging, ended } = startHidden()
    const icon = await panel.icon()
    await expect.poll(icon.tooltip).toBe('Traffic Desk: no account yet')
    const [picture] = await icon.pictures()
    expect(picture).toMatchObject({ width: 48, height: 48 })
    const labels = (await icon.entries()).map(({ label }) => label)
    expect(labels).toEqual(['Open Traffic Desk', 'No account yet', 'Pause', 'Quit'])

    await icon.choose('Pause')
    const paused = async () => (await icon.entries()).find(({ label }) => label === 'Pause')?.checked
    await expect.poll(paused).toBe(true)
    await icon.choose('Pause')
    await expect.poll(paused).toBe(false)

    await icon.choose('Open Traffic Desk')
    const page = await joinWindow(await debugging)
    await page.getByRole('heading', { name: 'Connect to your reporting service' }).waitFor()
    await icon.quit()
    expect(await ended).toBe(0)
  })

  it('is there where a panel starts later, and where another takes its place', async () => {
    const { debugging } = startHidden()
    await debugging
    const first = await startPanel()
    await expect.poll((await first.icon()).tooltip).toBe('Traffic Desk: no account yet')
    await first.close()
    const second = await startPanel()
    const labels = (await (await second.icon()).entries()).map(({ label }) => label)
    expect(labels).toEqual(['Open Traffic Desk', 'No account yet', 'Pause', 'Quit'])
  })
})
