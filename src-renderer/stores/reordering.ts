import { tick } from 'svelte'

/** Callbacks with which an entry of a list is moved. */
export type Movable = {
  /** Moves the entry by a number of positions and returns the focus to the handle. */
  readonly move: (by: number, handle?: HTMLElement) => void
  /** The drag of the entry starts. */
  readonly drag: () => void
  /** The dragged entry is dropped onto this one. */
  readonly drop: () => void
}

type Listed = { readonly id: string }

type Order<T> = {
  readonly nameOf: (item: T) => string
  /** Moves an item. The list shows it at once. */
  readonly send: (item: T, by: number) => Promise<unknown>
  /** Announces a new position to screen readers. */
  readonly say: (words: string) => void
}

/** Returns the callbacks for each entry of a list that is reordered by dragging, or by the keys of a handle. */
export function reordering<T extends Listed>(
  list: () => readonly T[],
  { nameOf, send, say }: Order<T>,
): (item: T) => Movable {
  let dragged: T['id'] | null = null

  async function move(item: T, by: number, handle?: HTMLElement): Promise<void> {
    const done = send(item, by)
    say(`${nameOf(item)}: place ${placeOf(item.id) + 1} of ${list().length}`)
    await tick()
    handle?.focus()
    await done
  }

  const placeOf = (id: T['id'] | null) => list().findIndex((item) => item.id === id)

  return (item) => ({
    move: (by, handle) => void move(item, by, handle),
    drag: () => (dragged = item.id),
    drop: () => {
      const from = placeOf(dragged)
      const moving = list()[from]
      dragged = null
      if (moving && moving.id !== item.id) void move(moving, placeOf(item.id) - from)
    },
  })
}
