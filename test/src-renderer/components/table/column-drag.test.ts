import { beforeEach, expect, it, vi } from 'vitest'
import { followDrag } from '#renderer/components/table/column-drag.ts'

let header: HTMLElement
let edge: HTMLElement
const capture = vi.fn<(pointer: number) => void>()

beforeEach(() => {
  capture.mockClear()
  header = document.createElement('th')
  edge = document.createElement('i')
  header.append(edge)
  document.body.replaceChildren(header)
  edge.setPointerCapture = capture
})

const pointer = (type: string, clientX: number, buttons = 1) =>
  new PointerEvent(type, { clientX, buttons, button: 0, pointerId: 7, bubbles: true })

function press(moved: (by: number) => void) {
  return new Promise<{ done: Promise<boolean> }>((resolve) => {
    edge.addEventListener(
      'pointerdown',
      (event) => {
        resolve({ done: followDrag(event, header, { moved }) })
      },
      { once: true },
    )
    edge.dispatchEvent(pointer('pointerdown', 100))
  })
}

it('has the pointer from the moment it is pressed, so that a quick hand does not lose the edge', async () => {
  const moved = vi.fn<(by: number) => void>()
  const { done } = await press(moved)
  expect(capture).toHaveBeenCalledWith(7)
  // The first that is heard of a quick hand is far from the edge.
  edge.dispatchEvent(pointer('pointermove', 340))
  edge.dispatchEvent(pointer('pointerup', 340, 0))
  expect(await done).toBe(true)
  expect(moved).toHaveBeenLastCalledWith(240)
})

it('never resizes by a pointer that only passes', async () => {
  const moved = vi.fn<(by: number) => void>()
  const { done } = await press(moved)
  // It was let go outside of the window, where nobody heard it.
  edge.dispatchEvent(pointer('pointermove', 300, 0))
  expect(await done).toBe(false)
  edge.dispatchEvent(pointer('pointermove', 320, 0))
  expect(moved).not.toHaveBeenCalled()
})

it('ends where the pointer is taken away', async () => {
  const moved = vi.fn<(by: number) => void>()
  const { done } = await press(moved)
  edge.dispatchEvent(pointer('lostpointercapture', 100))
  expect(await done).toBe(false)
})
