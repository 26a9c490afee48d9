import { startBare } from './history/bare.ts'
import { engineMemory, peakOf, peakReading, timeToEnd } from './history/engine-memory.ts'
import { figuresDesk } from './history/figures-desk.ts'
import { keeping } from './history/keeping.ts'
import { layDownYear } from './history/laid-down.ts'
import { bytesPerRow, readingMore, readingYear } from './history/reading.ts'
import { temporaryFolder } from './measure/desk.ts'
import { open } from './open.ts'
import { start } from './start.ts'
import { tableOf } from './measure/target.ts'
import type { Target } from './measure/target.ts'

/**
 * What the history costs: reading it, keeping it, its size on disk and in memory.
 * @param points which of the measurements, by their letters; all where there is none
 */
export async function history(points: readonly string[]): Promise<string> {
  const wanted = (...letters: string[]) =>
    points.length === 0 || letters.some((letter) => points.includes(letter))
  const targets: Target[] = []
  /** Ends once the engine has; meanwhile other processes are measured. */
  let resting: Promise<void> = Promise.resolve()
  if (wanted('a', 'b', 'c', 'e')) {
    const desk = await figuresDesk(temporaryFolder('history'))
    const bare = startBare()
    const written = await peakOf(desk, () => layDownYear(desk))
    if (wanted('c')) targets.push(...bytesPerRow(desk))
    if (wanted('a')) targets.push(...(await readingYear(desk, bare)))
    if (wanted('b')) targets.push(...(await readingMore(desk, bare)))
    bare.close()
    const reading = wanted('e') ? await peakReading(desk) : 0
    const rested = wanted('e') ? timeToEnd(desk) : null
    resting = (async () => {
      if (rested) targets.push(...engineMemory({ writing: written, reading, rested: await rested }))
      await desk.close()
    })()
  }
  const stored = wanted('d') ? await keeping() : []
  await resting
  targets.push(...stored)
  const opening = wanted('f') ? `\n\n(f) ${await start()}\n\n(f) ${await open()}` : ''
  return `History\n${tableOf(targets)}${opening}`
}
