import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  LineController,
  LineElement,
  LinearScale,
  PointElement,
} from 'chart.js'
import { drawDays } from './draw-days.ts'
import { drawTop } from './draw-top.ts'
import type { Drawing, Palette } from './drawing.ts'
import type { Plot } from './plot.ts'
import type { Top } from './top.ts'

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  LineController,
  LineElement,
  LinearScale,
  PointElement,
)

/** What is to be drawn: days from left to right, or rows from top to bottom. `labels` name them in brief. */
export type Picture =
  | {
      readonly kind: 'days'
      readonly labels: readonly string[]
      readonly plot: Plot
      /** The places of days that are not yet what they will be: they are drawn faintly. */
      readonly faint: readonly number[]
    }
  | { readonly kind: 'rows'; readonly labels: readonly string[]; readonly top: Top }

/** A chart on its canvas. It follows the canvas's size and the screen's density by itself. */
export type Drawn = {
  /** Which day or row lies at a place of the canvas, in CSS pixels; null outside the figures. */
  readonly at: (x: number, y: number) => number | null
  /** Where the middle of a day lies from the left, or of a row from the top, in CSS pixels. */
  readonly middleOf: (index: number) => number
  /** Half the height at which figures are drawn, in CSS pixels from the top. */
  readonly middle: number
  readonly stop: () => void
}

/** The colours of the theme, and the letters, as they hold where the canvas is. */
function paletteOf(canvas: HTMLCanvasElement): Palette {
  const style = getComputedStyle(canvas)
  return {
    colour: (token) => style.getPropertyValue(token).trim(),
    font: { family: style.fontFamily, size: Number.parseFloat(style.fontSize) || 12 },
  }
}

/** Draws without motion: figures that are renewed must not wobble. */
export function draw(canvas: HTMLCanvasElement, picture: Picture): Drawn {
  const palette = paletteOf(canvas)
  const drawing: Drawing =
    picture.kind === 'days'
      ? drawDays(picture.plot, picture.labels, palette, picture.faint)
      : drawTop(picture.top, picture.labels, palette)
  const chart = new Chart(canvas, {
    ...drawing,
    options: { ...drawing.options, animation: false, maintainAspectRatio: false, events: [] },
  })
  const scale = () => chart.scales[picture.kind === 'days' ? 'x' : 'y']
  return {
    at: (x, y) => {
      const { left, right, top, bottom } = chart.chartArea
      if (x < left || x > right || y < top || y > bottom) return null
      const index = scale()?.getValueForPixel(picture.kind === 'days' ? x : y)
      return index === undefined || index < 0 || index >= picture.labels.length ? null : index
    },
    middleOf: (index) => scale()?.getPixelForValue(index) ?? 0,
    get middle() {
      return (chart.chartArea.top + chart.chartArea.bottom) / 2
    },
    stop: () => chart.destroy(),
  }
}
