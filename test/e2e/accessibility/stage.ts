import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { isLong } from '#test/helpers/long.ts'
import { violations } from '../helpers/axe.ts'
import { hearComplaints } from '../helpers/complaints.ts'
import { startDeskWithKeys } from '../helpers/own-keys.ts'
import type { PressOwn } from '../helpers/own-keys.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import type { RunningSandbox } from '../helpers/sandbox.ts'
import { stumbles } from '../helpers/sight.ts'
import { connect, status } from '../helpers/window.ts'

export type Zoom = '100 %' | '200 %'

/** As many presses of the menu's key make everything at least twice as large, and so much each adds to Chromium's level. */
const [presses, eachPress] = [8, 0.5]

/** Windows that a state is seen in: their size, how numbers are written, the theme. The last two are 1280 pixels at 200 %. */
const windows = [
  { width: 1280, height: 800, formats: 'en-US', theme: 'light', examined: 'colours' },
  { width: 1920, height: 1080, formats: 'de-DE', theme: 'dark', examined: 'everything' },
  { width: 900, height: 700, formats: 'de-DE', theme: 'dark' },
  { width: 900, height: 700, formats: 'fr-FR', theme: 'light' },
  { width: 640, height: 400, formats: 'fr-FR', theme: 'light' },
  { width: 640, height: 400, formats: 'de-DE', theme: 'dark' },
] as const

/** A desk of 1280 by 800 pixels whose window is examined, state by state. */
export type Stage = {
  readonly page: Page
  readonly sandbox: RunningSandbox
  readonly pressOwn: PressOwn
  /**
   * Examines the window as it is, at one zoom, or at both where none is given: first at the one that it has. So every other
   * state is brought about at 200 %, where less has room. Colours are examined in both themes at the first zoom and in one of them
   * at the other; in both at both where tests take their time.
   */
  readonly at: (state: string, zoom?: Zoom) => Promise<void>
  readonly zoomTo: (zoom: Zoom) => Promise<void>
  /** Looks at the window as it is in windows of other sizes, with numbers written otherwise, in both themes. */
  readonly across: (state: string) => Promise<void>
  /** Goes to a view by its address. */
  readonly go: (address: string) => Promise<void>
  /** Fails with all that was found, and with what the window complained of. */
  readonly end: () => void
}

/** Starts a desk, and makes everything in it larger by the keys of the menu, as a person does. */
export async function setStage(env: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const [sandbox, desk] = await Promise.all([startSandbox(), startDeskWithKeys(env)])
  const { page, pressOwn } = desk
  page.setDefaultTimeout(30_000)
  const complaints = await hearComplaints(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.getByRole('heading', { name: 'Connect to your reporting service' }).waitFor()
  await page.evaluate(() => window.resizeTo(1280, 800))
  await expect.poll(() => page.evaluate(() => innerWidth)).toBe(1280)
  for (let press = 0; press < presses; press += 1) await pressOwn('=', 'control')
  await isAt(page, '200 %')
  const found: string[] = []
  const floating = page.locator(':is([role="dialog"], [role="menu"], [role="listbox"]):visible')
  let theme: 'light' | 'dark' = 'light'
  await page.emulateMedia({ colorScheme: theme })
  let zoomed: Zoom = '200 %'
  const zoomTo = async (zoom: Zoom) => {
    if (zoom === zoomed) return
    await desk.zoomTo(zoom === '200 %' ? presses * eachPress : 0)
    await isAt(page, zoom)
    zoomed = zoom
  }
  const examine = async (state: string, what: 'everything' | 'colours') => {
    await settled(page)
    for (const broken of await violations(page, what)) found.push(`${state}, ${zoomed}, ${theme}: ${broken}`)
  }
  const at = async (state: string, zoom?: Zoom) => {
    const floated = await floating.count()
    // To draw the window anew takes as long as to examine it: each examination begins as the one before ended.
    const other: Zoom = zoomed === '200 %' ? '100 %' : '200 %'
    const zooms = zoom ? [zoom] : [zoomed, other]
    for (const each of zooms) {
      await zoomTo(each)
      await examine(state, 'everything')
      if (isLong || each === zooms[0]) {
        theme = theme === 'light' ? 'dark' : 'light'
        await page.emulateMedia({ colorScheme: theme })
        await examine(state, 'colours')
      }
      for (const place of await stumbles(page)) found.push(`${state}, ${each}: ${place}`)
    }
    // What closed meanwhile was not examined at the other zoom. (What opens is what zooming brought beneath the pointer.)
    if ((await floating.count()) < floated) found.push(`${state}: what floats went as the window was zoomed`)
  }
  const across = async (state: string) => {
    for (const { width, height, formats, theme, ...more } of windows) {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: theme })
      await page.evaluate((chosen) => window.desk.call('settings/write', { formats: chosen }), formats)
      await settled(page)
      const broken = 'examined' in more ? await violations(page, more.examined) : []
      const seen = [...(await stumbles(page)), ...broken]
      found.push(...seen.map((each) => `${state}, ${width}, ${formats}, ${theme}: ${each}`))
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  return {
    page,
    sandbox,
    pressOwn,
    at,
    zoomTo,
    across,
    go: async (address) => {
      await page.evaluate((hash) => (location.hash = hash), address)
      await settled(page)
    },
    end: () => {
      // Each is said: a report of a failure keeps its message alone, where a list is left out.
      expect(found, found.join('; ')).toEqual([])
      expect(complaints(), complaints().join('; ')).toEqual([])
    },
  }
}

/** Examines the window as it is where it is narrow, and where it is wide. */
export async function atWidths({ page, at }: Pick<Stage, 'page' | 'at'>): Promise<void> {
  for (const width of [640, 1920, 1280]) {
    await page.setViewportSize({ width, height: width === 1920 ? 1080 : 800 })
    if (width !== 1280) await at(`${width} pixels wide`, '100 %')
  }
}

/** The same with an account of the sandbox. */
export async function setConnectedStage(env?: Readonly<Record<string, string>>): Promise<Stage> {
  const stage = await setStage(env)
  const { page, sandbox } = stage
  await connect(page, { name: 'Northwind', address: sandbox.address, token: sandbox.tokens.admin })
  await status(page).filter({ hasText: 'As of' }).waitFor()
  // What is asked for behind a view would be waited for, where a state begins once the service is left alone.
  await page.evaluate(() => window.desk.call('settings/write', { savesLooks: false }))
  return stage
}

/** Waits until a window of 1280 pixels is drawn so. */
const isAt = (page: Page, zoom: Zoom) =>
  page.waitForFunction((larger) => devicePixelRatio >= 2 === larger, zoom === '200 %')

/** Two frames, so that what was asked for is drawn. */
const settled = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
