import { startBare } from './history/bare.ts'
import { figuresDesk } from './history/figures-desk.ts'
import { layDownYear } from './history/laid-down.ts'
import { bytesPerRow, readingMore, readingYear } from './history/reading.ts'
import { temporaryFolder } from './measure/desk.ts'
import { tableOf } from './measure/target.ts'
import type { Target } from './measure/target.ts'

export async function history(points: readonly string[]): Promise<string> {
  const wanted = (point: string) => points.length === 0 || points.includes(point)
  const targets: Target[] = []
  const desk = await figuresDesk(temporaryFolder('history'))
  const bare = startBare()
  console.time('laid')
  await layDownYear(desk)
  console.timeEnd('laid')
  if (wanted('c')) targets.push(...bytesPerRow(desk))
  if (wanted('a')) targets.push(...(await readingYear(desk, bare)))
  if (wanted('b')) targets.push(...(await readingMore(desk, bare)))
  bare.close()
  await desk.close()
  return `History\n${tableOf(targets)}`
}
