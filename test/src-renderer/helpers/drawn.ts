import { vi } from 'vitest'
import type { ChartHandle, Picture } from '#renderer/components/chart/draw.ts'

/** Stands in for the drawing library, which wants a real canvas: remembers what it was told to draw. */
export const drawn = vi.fn<(canvas: HTMLCanvasElement, picture: Picture) => ChartHandle>(() => ({
  indexAt: () => 1,
  middleOf: () => 50,
  middle: 0,
  stop: () => undefined,
}))

/** What is drawn at last, by the headers of its sets. */
export function lastSets(): string[] {
  const picture = drawn.mock.lastCall?.[1]
  if (!picture) return []
  return picture.kind === 'days'
    ? picture.plot.sets.map(({ header, time }) => (time === 'before' ? `${header} before` : header))
    : picture.top.sets.map(({ header }) => header)
}
