import { tick } from 'svelte'

/** A mark of that name exists once: the newest, for measurements from outside. */
function mark(name: string): void {
  performance.clearMarks(name)
  performance.mark(name)
}

let shownBefore = false

/**
 * Marks when an answer is painted: `answer-painted` each time, as soon as the frame with it is made, and once in a
 * window `report-shown`, in the frame after that.
 */
async function markPaint(): Promise<void> {
  await tick()
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      mark('answer-painted')
    }
    // A message that is posted before a frame is painted arrives after it.
    port2.postMessage(null)
    if (!shownBefore) requestAnimationFrame(() => mark('report-shown'))
    shownBefore = true
  })
}

/** Marks it whenever one of these is answered, by figures or otherwise. To be called in an effect. */
export function markResults(
  questions: readonly { readonly status: unknown; readonly asking: boolean }[],
): void {
  for (const { status } of questions) void status
  if (questions.some(({ asking }) => !asking)) void markPaint()
}
