/** Distance in CSS pixels at which a click becomes a drag. */
const CLICK = 6

type Drag = {
  /** Called on each move with the distance from the start, in CSS pixels. */
  readonly moved?: (by: number) => void
  /** Called with the index of the header under the pointer on release. */
  readonly dropped?: (place: number) => void
}

/**
 * Follows a pointer that was pressed on a header or its edge until it is released. The pointer is captured at once, because
 * a fast move leaves a narrow edge before the first event. `data-drop` marks the header under the pointer.
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
      // The button was released without an event, for example outside the window.
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
