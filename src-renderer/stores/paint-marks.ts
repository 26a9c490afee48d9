import { tick } from 'svelte'

/** Sets a performance mark for external measurements. Only the newest of a name remains. */
function mark(name: string): void {
  performance.clearMarks(name)
  performance.mark(name)
}

let shownBefore = false

/** Sets `answer-painted` after each frame with a new answer. Sets `report-shown` once per window, in the following frame. */
async function markPaint(): Promise<void> {
  await tick()
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      mark('answer-painted')
    }
    // A message that is posted before a paint arrives after it.
    port2.postMessage(null)
    if (!shownBefore) requestAnimationFrame(() => mark('report-shown'))
    shownBefore = true
  })
}

/** Marks the paint whenever one of the queries has a result or failure. Call it in an effect. */
export function markResults(
  queries: readonly { readonly status: unknown; readonly fetching: boolean }[],
): void {
  for (const { status } of queries) void status
  if (queries.some(({ fetching }) => !fetching)) void markPaint()
}
