import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { hearComplaints } from '../helpers/complaints.ts'
import { startDeskWithKeys } from '../helpers/own-keys.ts'
import type { DeskWithKeys, PressOwn } from '../helpers/own-keys.ts'
import { exact } from '../helpers/reports.ts'
import { focusTrouble, placeOf } from './focus.ts'

type Role = Parameters<Page['getByRole']>[0]

/** More stops than any view has. */
const STOPS = 90

/** What leads to something, by where it is (focus.ts). */
const keyTo = { [-2]: 'ArrowLeft', [-1]: 'Shift+Tab', 1: 'Tab', 2: 'ArrowRight' } as const

/** Somebody at the keyboard, who has no mouse. After every key the focus is somewhere, and seen. */
export class Hand {
  readonly page: Page
  /** Keys that were pressed so far; what is typed is none of them. */
  keys = 0
  readonly #desk: DeskWithKeys
  readonly #complaints: () => readonly string[]

  constructor(desk: DeskWithKeys, complaints: () => readonly string[]) {
    this.page = desk.page
    this.#desk = desk
    this.#complaints = complaints
  }

  /** Presses keys, one after the other. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#press(key)
      await this.isSane(key)
    }
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text)
    await this.isSane(text)
  }

  /** Presses a key that the menu answers. */
  readonly menu: PressOwn = async (...key) => {
    await this.#desk.pressOwn(...key)
    await this.isSane(key.join(' '))
  }

  /** Goes to something with Tab, or back to it with Shift and Tab; within a toolbar with arrows. */
  async to(role: Role, name: string | RegExp): Promise<Locator> {
    const target =
      typeof name === 'string' ? exact(this.page, role, name) : this.page.getByRole(role, { name })
    return this.toThis(target, String(name))
  }

  async toThis(target: Locator, name: string): Promise<Locator> {
    await target.waitFor()
    // Looked for once: to look through the page for a role and a name takes longer than a key.
    let found = await target.elementHandle()
    for (let stop = 0; stop < STOPS; stop += 1) {
      const place = (found && (await placeOf(found))) ?? null
      if (place === 0) {
        await this.isSane(`to ${name}`)
        return target
      }
      if (place === null) found = await target.elementHandle()
      else await this.#press(keyTo[place])
    }
    throw new Error(`No number of tabs leads to ${name}`)
  }

  /** Goes to something and presses Enter or the space bar there. */
  async use(role: Role, name: string | RegExp, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
    await this.to(role, name)
    await this.press(key)
  }

  /** Chooses in a native list, an arrow for each entry between. */
  async choose(list: string, entry: string): Promise<void> {
    const select = await this.to('combobox', list)
    const way = await select.evaluate((element, wanted) => {
      if (!(element instanceof HTMLSelectElement)) throw new Error('This is no native list')
      return [...element.options].findIndex(({ text }) => text === wanted) - element.selectedIndex
    }, entry)
    for (let step = 0; step < Math.abs(way); step += 1) await this.press(way < 0 ? 'ArrowUp' : 'ArrowDown')
    await expect.poll(() => select.locator('option:checked').innerText()).toBe(entry)
  }

  /** Fills a field in, whatever stood in it. */
  async fillIn(role: Role, name: string | RegExp, text: string): Promise<void> {
    await this.to(role, name)
    await this.press('ControlOrMeta+a')
    await this.type(text)
  }

  /** Goes to a report by the palette, or does what is first there. */
  async call(words: string, first: string | RegExp = words): Promise<void> {
    await this.press('ControlOrMeta+k')
    await this.hasFocus(this.page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox'))
    await this.type(words)
    await this.page.locator('[role="option"][aria-selected="true"]').filter({ hasText: first }).waitFor()
    await this.press('Enter')
  }

  /** What was copied last. */
  copied(): Promise<string> {
    return this.#desk.copied()
  }

  async hasFocus(target: Locator): Promise<void> {
    await expect.poll(() => placeOf(target).catch(() => 'gone')).toBe(0)
  }

  async says(words: string | RegExp): Promise<void> {
    const spoken = this.page.locator('[aria-live], [role="status"], [role="alert"]')
    await spoken.filter({ hasText: words }).first().waitFor({ state: 'attached' })
  }

  async isSane(after: string): Promise<void> {
    await expect.poll(() => focusTrouble(this.page), { message: `after ${after}` }).toBeNull()
  }

  async #press(key: string): Promise<void> {
    this.keys += 1
    await this.page.keyboard.press(key)
  }

  /** Fails with what the window complained of meanwhile. */
  end(): void {
    expect(this.#complaints()).toEqual([])
  }
}

/** Starts a desk of 1280 by 800 pixels and sits down at it. */
export async function sitDown(env: Readonly<Record<string, string>> = {}): Promise<Hand> {
  const desk = await startDeskWithKeys(env)
  const { page } = desk
  page.setDefaultTimeout(30_000)
  const complaints = await hearComplaints(page)
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: null })
  await page.getByRole('heading', { name: 'Connect to your reporting service' }).waitFor()
  await page.evaluate(() => window.resizeTo(1280, 800))
  await expect.poll(() => page.evaluate(() => innerWidth)).toBe(1280)
  return new Hand(desk, complaints)
}

/** Connects by typing, from the form that has the focus. */
export async function connectByKeys(
  hand: Hand,
  { address, tokens }: { address: string; tokens: { admin: string } },
): Promise<void> {
  await hand.hasFocus(exact(hand.page, 'textbox', 'Account name'))
  await hand.type('Northwind')
  await hand.press('Tab')
  await hand.type(address)
  await hand.press('Tab')
  await hand.type(tokens.admin)
  await hand.press('Enter')
  await hand.hasFocus(exact(hand.page, 'heading', 'Overview'))
}
