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
