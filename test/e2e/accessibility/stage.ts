import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { sideways, violations } from '../helpers/axe.ts'
import { hearComplaints } from '../helpers/complaints.ts'
import { startDeskWithKeys } from '../helpers/own-keys.ts'
import type { PressOwn } from '../helpers/own-keys.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import type { RunningSandbox } from '../helpers/sandbox.ts'
import { connect, status } from '../helpers/window.ts'

export const zooms = ['100 %', '200 %'] as const
export type Zoom = (typeof zooms)[number]

/** A desk of 1280 by 800 pixels whose window is examined, state by state. */
export type Stage = {
  readonly page: Page
  readonly sandbox: RunningSandbox
  readonly pressOwn: PressOwn
  /** Examines the window as it is, in both themes. */
  readonly at: (state: string) => Promise<void>
  /** Goes to a view by its address. */
  readonly go: (address: string) => Promise<void>
  /** Fails with all that was found, and with what the window complained of. */
  readonly end: () => void
}

/** Starts a desk, at a zoom that a person chooses by the keys of the menu. */
export async function setStage(zoom: Zoom, env: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const [sandbox, { page, pressOwn }] = await Promise.all([startSandbox(), startDeskWithKeys(env)])
  page.setDefaultTimeout(30_000)
  const complaints = await hearComplaints(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.getByRole('heading', { name: 'Connect to your reporting service' }).waitFor()
  await page.evaluate(() => window.resizeTo(1280, 800))
  await expect.poll(() => page.evaluate(() => innerWidth)).toBe(1280)
  if (zoom === '200 %') await zoomIn(page, pressOwn)
  const found: string[] = []
  // To draw the window anew in another theme takes as long as to examine it: each state begins in the one before's last.
  let themes: readonly ['light' | 'dark', 'light' | 'dark'] = ['light', 'dark']
  const at = async (state: string) => {
    const [first, second] = themes
    for (const [colorScheme, what] of [
      [first, 'everything'],
      [second, 'colours'],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await settled(page)
      for (const each of await violations(page, what)) found.push(`${state}, ${colorScheme}: ${each}`)
    }
    themes = [second, first]
    for (const each of await sideways(page)) found.push(`${state} scrolls sideways: ${each}`)
  }
  return {
    page,
    sandbox,
    pressOwn,
    at,
    go: async (address) => {
      await page.evaluate((hash) => (location.hash = hash), address)
      await settled(page)
    },
    end: () => {
      expect(found).toEqual([])
      expect(complaints()).toEqual([])
    },
  }
}

/** Examines the window as it is where it is narrow, and where it is wide. */
export async function atWidths({ page, at }: Pick<Stage, 'page' | 'at'>): Promise<void> {
  for (const width of [640, 1920, 1280]) {
    await page.setViewportSize({ width, height: width === 1920 ? 1080 : 800 })
    if (width !== 1280) await at(`${width} pixels wide`)
  }
}

/** The same with an account of the sandbox. */
export async function setConnectedStage(zoom: Zoom, env?: Readonly<Record<string, string>>): Promise<Stage> {
  const stage = await setStage(zoom, env)
  const { page, sandbox } = stage
  await connect(page, { name: 'Northwind', address: sandbox.address, token: sandbox.tokens.admin })
  await status(page).filter({ hasText: 'As of' }).waitFor()
  return stage
}

/** Each press is a step of the menu; eight are the first that make everything at least twice as large. */
async function zoomIn(page: Page, pressOwn: PressOwn): Promise<void> {
  for (let press = 0; press < 8; press += 1) await pressOwn('=', 'control')
  await expect.poll(() => page.evaluate(() => innerWidth)).toBeLessThanOrEqual(640)
}

/** Two frames, so that what was asked for is drawn. */
const settled = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
