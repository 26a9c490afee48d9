import type { Measure } from './geometry.ts'

/** Font sizes by kind of text, as in grid.css. Totals and headers are bold. */
const sizes = { total: '--text-body', change: '--text-small', header: '--text-small' } as const

/** Created once, because creating a canvas is slow. Measuring in the document would force a layout. */
let canvas: OffscreenCanvasRenderingContext2D | null = null

/** Returns a function that measures texts in the table's font; undefined without a canvas. */
export function measureIn(frame: HTMLElement): Measure | undefined {
  if (!('OffscreenCanvas' in window)) return undefined
  canvas ??= new OffscreenCanvas(1, 1).getContext('2d')
  const context = canvas
  if (!context) return undefined
  const style = getComputedStyle(frame)
  const root = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
  const fontOf = (kind: keyof typeof sizes) =>
    `${kind === 'change' ? 400 : 600} ${(Number.parseFloat(style.getPropertyValue(sizes[kind])) || 0.8125) * root}px ${style.fontFamily}`
  const fonts = { total: fontOf('total'), change: fontOf('change'), header: fontOf('header') }
  return (text, kind) => {
    context.font = fonts[kind]
    // All digits have the width of 0 (base.css).
    return context.measureText(text.replace(/\d/g, '0')).width
  }
}
