import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { deskFolder, temporaryFolder } from '../bench/measure/desk.ts'
import { launch } from '../bench/measure/launch.ts'
import { proxyServer } from '../helpers/proxy-server.ts'
import { appearanceOf, shownBy } from './appearance.ts'
import { documents as documentScenes } from './scenes/documents.ts'
import { scenes } from './scenes/index.ts'
import { startService } from './service.ts'
import { startUpdates } from './updates.ts'
import { smaller } from './smaller.ts'
import { proxyLogin } from './stage.ts'

/**
 * Takes pictures of the real app: every scene, at four sizes, in both themes, into `out/screenshots`. With words behind
 * `--` only the scenes whose name holds one of them are taken, though all before them are gone through. With `--docs` the
 * pictures that the documents show are taken instead, into `docs/screenshots`; those that none shows any more go. What they
 * look like is written down beside them, so that a test tells when they are old.
 */
const forDocuments = process.argv.includes('--docs')
const folder = forDocuments ? join(deskFolder, 'docs', 'screenshots') : join(deskFolder, 'out', 'screenshots')
const shown = forDocuments ? picturesIn(documents(deskFolder)) : null
const words = process.argv.slice(2).filter((word) => word !== '--docs')
const themes = ['light', 'dark'] as const
const sizes = [
  { width: 1280, height: 800 },
  // As 1,280 pixels are at a zoom of 200 %.
  { width: 640, height: 800 },
  { width: 900, height: 800 },
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

/** The names of the pictures that documents show. */
function picturesIn(texts: readonly string[]): ReadonlySet<string> {
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/screenshots\/([\w-]+\.png)/g)].map(([, name]) => name ?? '')),
  )
}

/** The texts of README.md and of every document under `docs`. */
function documents(root: string): string[] {
  const under = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  const paths = under.filter((path) => path.endsWith('.md')).map((path) => join('docs', path))
  return ['README.md', ...paths].map((path) => readFileSync(join(root, path), 'utf8'))
}

async function take(page: Page, scene: string): Promise<void> {
  for (const size of sizes) {
    for (const colorScheme of themes) {
      const name = `${scene}-${colorScheme}-${size.width}.png`
      if (shown?.has(name) === false) continue
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await settled(page)
      const picture = await page.screenshot({ animations: 'disabled' })
      writeFileSync(join(folder, name), forDocuments ? smaller(picture) : picture)
    }
  }
  await page.setViewportSize(sizes[0])
}

mkdirSync(folder, { recursive: true })
const config = temporaryFolder('screenshots-config')
const saved = temporaryFolder('screenshots-out')
writeFileSync(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${saved}"\n`)
process.env['XDG_CONFIG_HOME'] = config
const service = await startService()
const proxy = await proxyServer(Number(new URL(service.address).port), {
  basic: `${proxyLogin.name}:${proxyLogin.password}`,
})
const updates = await startUpdates()
const { page, close } = await launch(deskFolder, temporaryFolder('screenshots'), {
  ...updates.env,
  https_proxy: `http://127.0.0.1:${proxy.port}`,
})
page.setDefaultTimeout(longest)
await page.emulateMedia({ reducedMotion: 'reduce' })
await page.setViewportSize(sizes[0])
const stage = { page, service, updates, folder: saved }
const isWanted = ({ name }: { readonly name: string }) =>
  words.length === 0 || words.some((word) => name.includes(word))
const all = forDocuments ? documentScenes : scenes
for (const { name, set, leave } of all.slice(0, all.findLastIndex(isWanted) + 1)) {
  const began = performance.now()
  try {
    await set(stage)
    if (isWanted({ name })) await take(page, name)
    await leave?.(stage)
    console.log(`${name}, ${Math.round(performance.now() - began)} ms`)
  } catch (error) {
    process.exitCode = 1
    console.error(`${name} could not be taken:`, error)
    if (!forDocuments) writeFileSync(join(folder, `${name}-failed.png`), await page.screenshot())
    // What the scene leaves behind would fail those after it.
    await page.keyboard.press('Escape')
    service.release()
    service.restore()
    await service.plugIn()
  }
}
if (shown) {
  for (const file of readdirSync(folder)) if (!shown.has(file)) rmSync(join(folder, file))
  const taken = Object.fromEntries(Object.keys(shownBy).map((scene) => [scene, appearanceOf(scene)]))
  if (process.exitCode !== 1) writeFileSync(join(folder, 'taken.json'), `${JSON.stringify(taken, null, 2)}\n`)
}
await close()
await service.close()
await proxy.close()
await updates.close()
