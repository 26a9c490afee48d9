import { labelText } from '#shared/reports/rows.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { LONGEST_LABEL, cut } from './columns.ts'

/** Longer labels may not fit into their column. */
const SHORT = 20

/**
 * The cell of a label: a button that limits to it, and one to read it whole where it is cut. Its text is a node that stays:
 * to write another text into it is far less work for the browser than to make another node of it.
 */
export class LabelPart {
  readonly element = document.createElement('th')
  readonly #name: HTMLElement
  readonly #text = document.createTextNode('')
  #more: HTMLButtonElement | null = null
  /** The whole label. */
  #shown: string | null = null

  constructor(labels: 'buttons' | 'text') {
    this.element.setAttribute('role', 'rowheader')
    this.element.className = 'label'
    this.#name = labels === 'buttons' ? quietButton('name') : document.createElement('span')
    this.#name.append(this.#text)
    this.element.append(this.#name)
  }

  show(row: TableRow): void {
    const label = labelText(row.label)
    if (label === this.#shown) return
    this.#shown = label
    const empty = label.trim() === ''
    const whole = label.length <= LONGEST_LABEL
    const seen = whole ? label : `${cut(label)}…`
    this.#text.data = empty ? '(empty)' : seen
    this.#name.classList.toggle('quiet', empty)
    // What is short is seen whole; the browser shows the rest beside the pointer.
    if (label.length > SHORT) this.element.title = seen
    else this.element.removeAttribute('title')
    if (whole) this.#more?.remove()
    else this.#offerMore()
  }

  #offerMore(): void {
    this.#more ??= quietButton('more')
    this.#more.textContent = 'More'
    this.element.append(this.#more)
  }
}

/** A button that the keys reach through the grid, not by a stop of its own for each of thousands of rows. */
function quietButton(className: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.tabIndex = -1
  button.className = className
  return button
}
