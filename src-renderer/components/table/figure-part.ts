import { cut } from './columns.ts'

/** Longer texts may not fit into their column. */
const SHORT = 16

/** The cell of a figure. Like that of a label, it keeps its text node; only what differs is written. */
export class FigurePart {
  readonly element = document.createElement('td')
  readonly #text = document.createTextNode('')
  #shown = ''
  #share = -1
  #className: string

  constructor(className: string) {
    this.element.setAttribute('role', 'gridcell')
    this.element.className = this.#className = className
    this.element.append(this.#text)
  }

  /** @param share the length of the bar beneath it, in per cent */
  show(text: string, share: number, className: string): void {
    if (this.#shown !== text) this.#text.data = this.#shown = text
    if (this.#share !== share) {
      this.#share = share
      this.element.style.backgroundSize = `${share}% 100%`
    }
    if (this.#className !== className) this.element.className = this.#className = className
  }

  /** What the browser shows beside the pointer, where the text may not fit. */
  explain(whole: string): void {
    const said = whole.length > SHORT ? cut(whole) : ''
    if (this.element.title !== said) this.element.title = said
  }
}
