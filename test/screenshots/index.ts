import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { deskFolder, temporaryFolder } from '../bench/measure/desk.ts'
import { launch } from '../bench/measure/launch.ts'
import { scenes } from './scenes/index.ts'
import { startService } from './service.ts'
import { smaller } from './smaller.ts'

/**
 * Takes the pictures of the documentation: every scene of the real app, at two sizes, in both themes. With words behind
 * `--` only the scenes whose name holds one of them are taken, though all of them are gone through.
 */
const folder = join(deskFolder, 'docs', 'screenshots')
const words = process.argv.slice(2)
const themes = ['light', 'dark'] as const
const sizes = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
] as const
/** The longest that a scene may take to be set, in milliseconds. */
const longest = 30_000

/** Two frames, so that what moved with the size or the theme stands where it belongs. */
const settled = (page: Page) =>
  page.evaluate(async () => {
    await document.fonts.ready
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  })

async function take(page: Page, scene: string): Promise<string[]> {
  const names: string[] = []
  for (const size of sizes) {
    await page.setViewportSize(size)
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await settled(page)
      const name = `${scene}-${colorScheme}-${size.width}.png`
      writeFileSync(join(folder, name), smaller(await page.screenshot({ animations: 'disabled' })))
      names.push(name)
    }
  }
  await page.setViewportSize(sizes[0])
  return names
}

mkdirSync(folder, { recursive: true })
const config = temporaryFolder('screenshots-config')
const saved = temporaryFolder('screenshots-out')
writeFileSync(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${saved}"\n`)
process.env['XDG_CONFIG_HOME'] = config
const service = await startService()
const { page, close } = await launch(deskFolder, temporaryFolder('screenshots'))
page.setDefaultTimeout(longest)
await page.emulateMedia({ reducedMotion: 'reduce' })
await page.setViewportSize(sizes[0])
const stage = { page, service, folder: saved }
const made = new Set<string>()
for (const { name, set, leave } of scenes) {
  const began = performance.now()
  try {
    await set(stage)
    if (words.length === 0 || words.some((word) => name.includes(word))) {
      for (const file of await take(page, name)) made.add(file)
    }
    await leave?.(stage)
    console.log(`${name}, ${Math.round(performance.now() - began)} ms`)
  } catch (error) {
    process.exitCode = 1
    console.error(`${name} could not be taken:`, error)
    await page.keyboard.press('Escape')
    service.release()
    service.restore()
  }
}
if (words.length === 0) {
  for (const file of readdirSync(folder)) if (!made.has(file)) rmSync(join(folder, file))
}
await close()
await service.close()
