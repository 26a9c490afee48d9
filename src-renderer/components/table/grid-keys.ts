import type { Direction } from './selection.ts'

/** What somebody wants with a key. */
export type Intent =
  | { readonly kind: 'move'; readonly direction: Direction; readonly extending: boolean }
  | { readonly kind: 'select-all' }
  | { readonly kind: 'select-row' }
  | { readonly kind: 'select-column' }
  | { readonly kind: 'copy' }
  | { readonly kind: 'act'; readonly adding: boolean }
  | { readonly kind: 'read-whole' }
  | { readonly kind: 'resize'; readonly by: 1 | -1 }
  | { readonly kind: 'move-column'; readonly by: 1 | -1 }
  | { readonly kind: 'one-cell' }
  | { readonly kind: 'type'; readonly letter: string }

type Keys = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey'>

const plain: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  Home: 'row-start',
  End: 'row-end',
  PageUp: 'page-up',
  PageDown: 'page-down',
}

const withControl: Readonly<Record<string, Direction>> = {
  Home: 'start',
  End: 'end',
  ArrowUp: 'start',
  ArrowDown: 'end',
  ArrowLeft: 'row-start',
  ArrowRight: 'row-end',
}

/** Reads a key; null where the grid wants nothing with it. */
export function intentOf(event: Keys): Intent | null {
  const { key, shiftKey: shift, altKey: alt } = event
  const control = event.ctrlKey || event.metaKey
  if (alt) return control ? null : columnIntent(key, shift)
  if (control) {
    if (key.toLowerCase() === 'a' && !shift) return { kind: 'select-all' }
    if (key.toLowerCase() === 'c' && !shift) return { kind: 'copy' }
  }
  if (key === ' ' && control) return { kind: 'select-column' }
  if (key === ' ' && shift) return { kind: 'select-row' }
  const direction = (control ? withControl : plain)[key]
  if (direction) return { kind: 'move', direction, extending: shift }
  if (control) return null
  if (key === 'Enter') return { kind: 'act', adding: shift }
  if (key === 'F2') return { kind: 'read-whole' }
  if (key === 'Escape') return { kind: 'one-cell' }
  return Array.from(key).length === 1 ? { kind: 'type', letter: key } : null
}

function columnIntent(key: string, shift: boolean): Intent | null {
  const by = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : null
  if (by === null) return null
  return shift ? { kind: 'move-column', by } : { kind: 'resize', by }
}

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
