import { tick } from 'svelte'

/** A mark of that name exists once: the newest, for measurements from outside. */
function mark(name: string): void {
  performance.clearMarks(name)
  performance.mark(name)
}

let shownBefore = false

/**
 * Marks the frame after the one in which an answer was painted: `answer-painted` each time, `report-shown` the first
 * time of a window.
 */
export async function markPainted(): Promise<void> {
  await tick()
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      mark('answer-painted')
      if (!shownBefore) mark('report-shown')
      shownBefore = true
    }),
  )
}
