/** A list is looked through no further: what is loaded of a longer one lies around where one is. */
const FARTHEST = 100_000

/** So long after a letter the next one begins a word of its own, in milliseconds. */
const PAUSE = 700

/**
 * Letters typed after each other, as the beginning of a label that is looked for.
 * @param now the clock, in milliseconds
 */
export class TypeAhead {
  #typed = ''
  #last = 0

  /** Adds a letter; the beginning to look for from now on, and whether the row one is in may be it. */
  type(letter: string, now: number): { readonly beginning: string; readonly stays: boolean } {
    const goesOn = this.#typed !== '' && now - this.#last < PAUSE
    const same = goesOn && [...this.#typed].every((value) => value === letter)
    this.#typed = goesOn ? this.#typed + letter : letter
    this.#last = now
    // The same letter again and again goes through the labels that begin with it.
    return same ? { beginning: letter, stays: false } : { beginning: this.#typed, stays: goesOn }
  }

  /** Whether a word is being typed, so that a space belongs to it. */
  isTyping(now: number): boolean {
    return this.#typed !== '' && now - this.#last < PAUSE
  }
}

/**
 * The next row whose label begins so, from `from` on and round again; -1 where none of those at hand does.
 * @param labelAt a row's label; null where it is not loaded
 */
export function findLabel(
  count: number,
  labelAt: (index: number) => string | null,
  beginning: string,
  from: number,
): number {
  const wanted = beginning.toLocaleLowerCase()
  for (let step = 0; step < Math.min(count, FARTHEST); step += 1) {
    const index = (Math.max(0, from) + step) % count
    if (labelAt(index)?.toLocaleLowerCase().startsWith(wanted)) return index
  }
  return -1
}
