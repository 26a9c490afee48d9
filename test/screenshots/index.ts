import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { deskFolder, startSandbox, temporaryFolder } from '../bench/measure/desk.ts'
import { launch } from '../bench/measure/launch.ts'
import { scenes } from './scenes.ts'

const folder = join(deskFolder, 'docs', 'screenshots')
const size = { width: 1280, height: 800 }

/** Takes the pictures of the documentation: every scene of the real app, in the light theme and in the dark one. */
mkdirSync(folder, { recursive: true })
for (const theme of ['light', 'dark'] as const) {
  const sandbox = await startSandbox()
  const { page, close } = await launch(deskFolder, temporaryFolder(`screenshots-${theme}`))
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  await page.setViewportSize(size)
  for (const { name, set } of scenes) {
    await set({ page, ...sandbox, unplug: sandbox.close })
    // Two frames, so that charts stand where they belong.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    )
    const path = join(folder, `${name}-${theme}.png`)
    await page.screenshot({ path, animations: 'disabled' })
    console.log(path)
  }
  await close()
}
