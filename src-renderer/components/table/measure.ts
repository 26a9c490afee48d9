import type { Measure } from './geometry.ts'

/** The sizes of letters by what stands in them, as grid.css has them; totals and headers are bold. */
const sizes = { total: '--text-body', change: '--text-small', header: '--text-small' } as const

/** Made once: a canvas is slow to make, and to be measured in a document makes the browser lay out. */
let canvas: OffscreenCanvasRenderingContext2D | null = null

/** Measures texts in the letters of a table. Undefined where there is no canvas. */
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
    // All digits are as wide as this one (base.css).
    return context.measureText(text.replace(/\d/g, '0')).width
  }
}
