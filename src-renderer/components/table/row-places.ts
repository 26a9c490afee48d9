import { placesOf } from './geometry.ts'
import type { Track } from './geometry.ts'

/**
 * The places of rows that are still to come, with nothing in them. It is as large as what is seen and stands behind the rows:
 * drawn over the whole of a long list, it would take the memory of many screens.
 */
export class RowPlaces {
  readonly #element = document.createElement('div')

  constructor(frame: HTMLElement) {
    this.#element.className = 'places'
    this.#element.ariaHidden = 'true'
    this.#element.hidden = true
    frame.prepend(this.#element)
  }

  /** Columns lie so from now on. */
  lay(tracks: readonly Track[], width: number): void {
    this.#element.style.width = `${width}px`
    this.#element.style.setProperty('--places', placesOf(tracks))
  }

  /** Rows are seen below the head of a table, as far as the frame is high. */
  resize(head: number, height: number): void {
    this.#element.style.setProperty('--from', `${head}px`)
    this.#element.style.setProperty('--height', `${height}px`)
  }

  /** @param above how much of the first row that is seen has left at the top, in CSS pixels */
  show(above: number): void {
    this.#element.style.setProperty('--above', `${-above}px`)
    this.#set(false)
  }

  hide(): void {
    this.#set(true)
  }

  /** To set what is so already makes a browser look at the styles again. */
  #set(hidden: boolean): void {
    if (this.#element.hidden !== hidden) this.#element.hidden = hidden
  }

  close(): void {
    this.#element.remove()
  }
}
