/** No element is as high as this in every browser at every zoom: what is longer is scrolled through in part. In CSS pixels. */
const HIGHEST = 8_000_000
/** So near to an end of the places, in rows, others are put there. */
const MARGIN = 500
/** Longer ways in one step than so many screenfuls are jumps: the scroll bar was dragged. */
const FAR = 4

/**
 * A list that may be longer than a page can be high. Its body has places for a part of the rows: `shift` says which row stands
 * at the first of them. Small steps go from row to row; a jump goes where it would lead if all of them had a place.
 */
export class LongList {
  /** The row at the first place. */
  shift = 0
  #count = 0
  #places = 0
  #rowHeight = 1
  #offset = 0

  /** It has so many rows of such a height; how many of them have a place. */
  become(count: number, rowHeight: number): number {
    this.#count = count
    this.#rowHeight = Math.max(1, rowHeight)
    this.#places = Math.min(count, Math.floor(HIGHEST / this.#rowHeight))
    this.shift = Math.min(this.shift, this.#most)
    return this.#places
  }

  toTop(): void {
    this.shift = 0
    this.#offset = 0
  }

  /**
   * The list was scrolled to `offset`, of which `height` is seen. By how much it is to be scrolled besides, so that there are
   * places in either direction; 0 where it stands well.
   */
  follow(offset: number, height: number): number {
    const step = offset - this.#offset
    this.#offset = offset
    if (this.#most === 0) return 0
    const last = Math.max(1, this.#places * this.#rowHeight - height)
    if (Math.abs(step) > FAR * height) {
      this.shift = Math.round(Math.min(1, offset / last) * this.#most)
      return 0
    }
    const row = Math.floor(offset / this.#rowHeight)
    const seen = Math.ceil(height / this.#rowHeight)
    const half = Math.floor(this.#places / 4)
    if (row < MARGIN && this.shift > 0) return this.#move(-Math.min(this.shift, half))
    if (row + seen > this.#places - MARGIN && this.shift < this.#most) {
      return this.#move(Math.min(this.#most - this.shift, half))
    }
    return 0
  }

  /** Sees to it that a row has a place; which one. */
  bringInto(row: number): number {
    if (row < this.shift || row >= this.shift + this.#places) {
      const wanted = Math.round((row / Math.max(1, this.#count - 1)) * (this.#places - 1))
      this.shift = Math.min(this.#most, Math.max(0, row - wanted))
    }
    const place = row - this.shift
    // The way there is no jump of the scroll bar.
    this.#offset = place * this.#rowHeight
    return place
  }

  get #most(): number {
    return this.#count - this.#places
  }

  #move(by: number): number {
    this.shift += by
    this.#offset -= by * this.#rowHeight
    return -by * this.#rowHeight
  }
}
