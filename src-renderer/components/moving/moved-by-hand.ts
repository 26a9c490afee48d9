/** How an entry of a list is moved by hand. */
export type ByHand = {
  /** Whether it can be taken; others can be dropped onto it all the same. */
  readonly movable: boolean
  /** It is taken. */
  readonly drag: () => void
  /** The one that was taken is dropped onto it. */
  readonly drop: () => void
}

/** Lets an entry be dragged, and others be dropped onto it; while one is held over it, it has `data-over`. */
export const movedByHand =
  ({ movable, drag, drop }: ByHand) =>
  (entry: HTMLElement) => {
    const over = (event: DragEvent) => {
      event.preventDefault()
      entry.dataset['over'] = ''
    }
    const leave = () => {
      delete entry.dataset['over']
    }
    const dropOnto = (event: DragEvent) => {
      event.preventDefault()
      leave()
      drop()
    }
    entry.draggable = movable
    entry.addEventListener('dragstart', drag)
    entry.addEventListener('dragover', over)
    entry.addEventListener('dragleave', leave)
    entry.addEventListener('drop', dropOnto)
    return () => {
      leave()
      entry.removeEventListener('dragstart', drag)
      entry.removeEventListener('dragover', over)
      entry.removeEventListener('dragleave', leave)
      entry.removeEventListener('drop', dropOnto)
    }
  }
