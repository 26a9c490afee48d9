import { MediaQuery } from 'svelte/reactivity'
import { Folds } from './folds.svelte.ts'

/** Below this the side bar is folded by itself: a view needs the width. In CSS pixels, so that 200 % counts as narrow. */
const NARROW = 'max-width: 919px'

/**
 * How the side bar stands. In a wide window a person folds it, which is remembered. In a narrow one it is folded, and
 * lies over the view while it is unfolded: that ends with the next step.
 */
export class SideBar {
  readonly #folds: Folds
  readonly #narrow = new MediaQuery(NARROW)
  #over = $state(false)

  constructor(storage: Storage) {
    this.#folds = new Folds(storage, 'side-bar-folded')
  }

  /** Whether pictures alone are shown. */
  get folded(): boolean {
    return this.#narrow.current ? !this.#over : this.#folds.folded
  }

  /** Whether it lies over the view. */
  get isOver(): boolean {
    return this.#narrow.current && this.#over
  }

  readonly toggle = (): void => {
    if (this.#narrow.current) this.#over = !this.#over
    else this.#folds.toggle()
  }

  /** Folds it again where it lies over the view. */
  readonly leave = (): void => {
    this.#over = false
  }
}
