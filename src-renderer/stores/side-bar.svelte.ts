import { MediaQuery } from 'svelte/reactivity'
import { Folds } from './folds.svelte.ts'

/** In CSS pixels, so that 200 % zoom counts as narrow. Below this width the side bar is folded. */
const NARROW = 'max-width: 919px'

/**
 * State of the side bar. In a wide window the user folds it, and the state is stored. In a narrow window it starts folded;
 * unfolded, it overlays the view until the next navigation.
 */
export class SideBar {
  readonly #folds: Folds
  readonly #narrow = new MediaQuery(NARROW)
  #over = $state(false)

  constructor(storage: Storage) {
    this.#folds = new Folds(storage, 'side-bar-folded')
  }

  /** Whether only icons are shown. */
  get folded(): boolean {
    return this.#narrow.current ? !this.#over : this.#folds.folded
  }

  /** Whether it overlays the view. */
  get isOver(): boolean {
    return this.#narrow.current && this.#over
  }

  readonly toggle = (): void => {
    if (this.#narrow.current) this.#over = !this.#over
    else this.#folds.toggle()
  }

  /** Folds a side bar that overlays the view. */
  readonly leave = (): void => {
    this.#over = false
  }
}
