import type { Locator, Page } from 'playwright-core'
import type { Updates } from './updates.ts'
import type { Service } from './service.ts'

/** What the scenes are made with: one window, and a service that can be slow or taken away. */
export type Stage = {
  readonly page: Page
  readonly service: Service
  readonly updates: Updates
  /** The folder in which the app saves. */
  readonly folder: string
}

/** What the network's proxy wants to be told. */
export const proxyLogin = { name: 'maria', password: 'open sesame' } as const

/** A state of the window that is worth a picture. Scenes follow one another in one session. */
export type Scene = {
  readonly name: string
  readonly set: (stage: Stage) => Promise<void>
  /** Puts back what the next scene would stumble over. */
  readonly leave?: (stage: Stage) => Promise<void>
}

/** Moves the pointer to the middle of the header, where nothing reacts to it. */
export const leavePointer = (page: Page): Promise<void> => page.mouse.move(640, 1)

/** Goes to an address without waiting for what it shows. Pointer and focus are out of the picture. */
export async function go(page: Page, address: string): Promise<void> {
  await leavePointer(page)
  await page.evaluate((hash) => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    // As a press on the background: the app does not give the focus back.
    document.body.click()
    // Where one is already, nothing is painted anew.
    if (location.hash === hash) return
    performance.clearMarks('answer-painted')
    location.hash = hash
  }, address)
}

/** Goes to an address and waits until its answer is painted, and nothing else is waited for. */
export async function open(page: Page, address: string): Promise<void> {
  await go(page, address)
  await page.waitForFunction(() => performance.getEntriesByName('answer-painted').length > 0)
  await calm(page)
}

/** Waits until nothing is faint and nothing is busy. */
export async function calm(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"], .dimmed'))
}

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

export const press = (page: Page, name: string): Promise<void> => button(page, name).click()

/** Shuts whatever floats above the window. */
export async function escape({ page }: Stage): Promise<void> {
  await page.keyboard.press('Escape')
}

/** Waits until every chart of the view has something of colour on it. */
export async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const charts = [...document.querySelectorAll('canvas')]
    const isDrawn = (chart: HTMLCanvasElement) =>
      chart.width > 0 &&
      chart
        .getContext('2d')
        ?.getImageData(0, 0, chart.width, chart.height)
        .data.some((part) => part > 0)
    return charts.length > 0 && charts.every(isDrawn)
  })
}
