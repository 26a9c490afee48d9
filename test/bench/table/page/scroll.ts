/** The scroll that each table is put through: by the wheel, through the whole list, and back by the wheel. */
const WHEEL = 120
const script = { still: 60, down: 120, through: 200, up: 80 }

export type Scrolled = {
  /** From one frame to the next while nothing happens at all: what the display itself makes of it, in milliseconds. */
  readonly still: number[]
  /** From one frame to the next, in milliseconds. */
  readonly frames: number[]
  /** What the page itself did for each frame: script, style, layout and paint, in milliseconds. */
  readonly work: number[]
  /** Frames in which the rows that belong there were not all drawn when the frame was made. */
  readonly late: number
}

export const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))

/** Posted before a frame is painted, a message arrives after it. */
export function afterPaint(): Promise<number> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve(performance.now())
    }
    port2.postMessage(null)
  })
}

/**
 * Scrolls by script, one step a frame. Each step is made between two frames, as the wheel makes it: its event is the first
 * thing in the next frame, in which the table may still draw the rows that have come into sight.
 * @param isFilled whether rows are drawn where one looks at this moment
 */
export async function scroll(scroller: Element, isFilled: () => boolean): Promise<Scrolled> {
  const end = scroller.scrollHeight - scroller.clientHeight
  const steps = [
    ...Array.from({ length: script.down }, () => WHEEL),
    ...Array.from({ length: script.through }, () => (end - WHEEL * script.down) / script.through),
    ...Array.from({ length: script.up }, () => -WHEEL),
  ]
  const still = await stillFrames()
  const frames: number[] = []
  const work: number[] = []
  let late = 0
  let at = 0
  let began = 0
  document.addEventListener('scroll', () => (began = performance.now()), { capture: true })
  let before = await nextFrame()
  await afterPaint()
  for (const step of steps) {
    at += step
    scroller.scrollTop = at
    const frame = await nextFrame()
    work.push((await afterPaint()) - began)
    frames.push(frame - before)
    before = frame
    if (!isFilled()) late += 1
  }
  return { still, frames, work, late }
}

async function stillFrames(): Promise<number[]> {
  const frames: number[] = []
  let before = await nextFrame()
  while (frames.length < script.still) {
    const frame = await nextFrame()
    frames.push(frame - before)
    before = frame
  }
  return frames
}
