import { gridOf } from '../helpers/reports.ts'
import type { Hand } from './hand.ts'

/** The table of a report under the keys. */
export class Grid {
  readonly name: string
  readonly #hand: Hand

  constructor(hand: Hand, name: string) {
    this.#hand = hand
    this.name = name
  }

  /** The label of the first row below the one for all. */
  first() {
    return gridOf(this.#hand.page, this.name).locator('tbody tr[aria-rowindex="3"] [role="rowheader"]')
  }

  async enter(): Promise<void> {
    await this.first().waitFor()
    await this.#hand.toThis(gridOf(this.#hand.page, this.name), this.name)
  }

  /** Goes to a header, by its place from 0. */
  async toHeader(place: number): Promise<void> {
    await this.enter()
    await this.#hand.press('ControlOrMeta+Home', 'ArrowUp', 'ArrowUp')
    for (let step = 0; step < place; step += 1) await this.#hand.press('ArrowRight')
  }

  /** The cell that the keys are at, as a screen reader is told. */
  active() {
    return gridOf(this.#hand.page, this.name).evaluate((grid) => {
      const cell = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '')
      if (!cell) throw new Error('No cell is pointed to')
      return {
        role: cell.getAttribute('role'),
        name: cell.getAttribute('title'),
        column: cell.getAttribute('aria-colindex'),
        text: cell.textContent,
        width: cell.getBoundingClientRect().width,
      }
    })
  }
}
