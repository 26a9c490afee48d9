/** So far the pointer moves before a click has become a drag, in CSS pixels. */
const CLICK = 6

type Drag = {
  /** Told again and again how far the pointer has gone from where it began, in CSS pixels. */
  readonly moved?: (by: number) => void
  /** The place among its neighbours over which it was let go. */
  readonly dropped?: (place: number) => void
}

/**
 * Follows a pointer that was pressed on a header or on its edge, until it is let go. It belongs to what was pressed from
 * that moment on: a quick hand has left a narrow edge before the first move is heard. Headers over which one would be let
 * go have `data-drop`.
 * @returns a promise of whether it was a drag rather than a click
 */
export function followDrag(
  event: PointerEvent,
  header: HTMLElement,
  { moved, dropped }: Drag,
): Promise<boolean> {
  const handle = event.currentTarget
  if (event.button !== 0 || !(handle instanceof HTMLElement)) return Promise.resolve(false)
  const began = event.clientX
  handle.setPointerCapture(event.pointerId)
  const ends = new AbortController()
  let dragged = false
  let over: Element | null = null
  const aim = (next: Element | null) => {
    over?.removeAttribute('data-drop')
    over = next
    over?.setAttribute('data-drop', '')
  }
  return new Promise((resolve) => {
    const end = (drop: boolean) => {
      ends.abort()
      const place = over ? neighboursOf(header).indexOf(over) : -1
      aim(null)
      header.removeAttribute('data-dragged')
      if (drop && dragged && place >= 0) dropped?.(place)
      resolve(dragged)
    }
    const move = ({ clientX, buttons, pointerId }: PointerEvent) => {
      if (pointerId !== event.pointerId) return
      // Let go where nobody could hear it: a pointer that only passes drags nothing.
      if ((buttons & 1) === 0) return end(false)
      const by = clientX - began
      if (!dragged && Math.abs(by) < CLICK && dropped) return
      dragged = true
      moved?.(by)
      if (!dropped) return
      header.setAttribute('data-dragged', '')
      const under = neighboursOf(header).find((element) => contains(element, clientX))
      aim(under === header ? null : (under ?? null))
    }
    const { signal } = ends
    handle.addEventListener('pointermove', move, { signal })
    handle.addEventListener('pointerup', () => end(true), { signal })
    handle.addEventListener('pointercancel', () => end(false), { signal })
    handle.addEventListener('lostpointercapture', () => end(false), { signal })
  })
}

const neighboursOf = (header: HTMLElement): Element[] => Array.from(header.parentElement?.children ?? [])

function contains(element: Element, x: number): boolean {
  const { left, right } = element.getBoundingClientRect()
  return x >= left && x < right
}
