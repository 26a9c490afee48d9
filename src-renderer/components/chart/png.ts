import type { Picture } from './draw.ts'
import type { Mark } from './series.ts'

/** A drawn chart, with everything needed to save it. */
export type DrawnChart = {
  readonly picture: Picture
  readonly legend: readonly Mark[]
  /** Base of the percentages, in words. */
  readonly base: string | null
}

/** Texts around a saved chart: title and details above, source and age below. */
export type PictureWords = {
  readonly title: string
  readonly lines: readonly string[]
  readonly foot: string
}

/** Device pixels per unit, independent of the screen. */
const SCALE = 2
const WIDTH = 1200
const HEIGHT = 720
const MARGIN = 32
const TITLE = 22
const WORDS = 14
const LINE = WORDS * 1.6

/** Size of every picture, in pixels. */
export const pictureSize = { width: WIDTH * SCALE, height: HEIGHT * SCALE } as const

/** Font and colours for writing on a picture. */
type Hand = {
  readonly context: CanvasRenderingContext2D
  readonly font: string
  readonly colour: (token: string) => string
}

/**
 * Renders a chart as a PNG of fixed size, in the light theme.
 * @returns null if the picture cannot be created
 */
export async function pngOf(
  { picture, legend }: DrawnChart,
  words: PictureWords,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { draw } = await import('./draw.ts')
  const head = MARGIN + TITLE * 1.4 + LINE * (words.lines.length + 1) + WORDS
  const plot = document.createElement('canvas')
  const size = { width: WIDTH - 2 * MARGIN, height: HEIGHT - head - LINE - MARGIN }
  Object.assign(plot, size)
  // Tokens resolve only if the canvas is in the document.
  const paper = document.createElement('div')
  paper.className = 'paper'
  Object.assign(paper.style, { position: 'fixed', left: '-10000px', fontSize: `${WORDS}px` })
  paper.append(plot)
  document.body.append(paper)
  const drawn = draw(plot, picture, SCALE)
  try {
    const sheet = document.createElement('canvas')
    Object.assign(sheet, pictureSize)
    const context = sheet.getContext('2d')
    if (!context) return null
    const style = getComputedStyle(plot)
    const colour = (token: string) => style.getPropertyValue(token).trim()
    context.scale(SCALE, SCALE)
    context.fillStyle = colour('--surface')
    context.fillRect(0, 0, WIDTH, HEIGHT)
    write({ context, font: style.fontFamily, colour }, words, legend)
    context.drawImage(plot, MARGIN, head, size.width, size.height)
    const blob = await new Promise<Blob | null>((made) => sheet.toBlob(made, 'image/png'))
    return blob && new Uint8Array(await blob.arrayBuffer())
  } finally {
    drawn.stop()
    paper.remove()
  }
}

function write({ context, font, colour }: Hand, words: PictureWords, legend: readonly Mark[]): void {
  const widest = WIDTH - 2 * MARGIN
  let y = MARGIN + TITLE
  context.fillStyle = colour('--text')
  context.font = `600 ${TITLE}px ${font}`
  context.fillText(words.title, MARGIN, y, widest)
  context.font = `${WORDS}px ${font}`
  context.fillStyle = colour('--text-quiet')
  for (const line of words.lines) context.fillText(line, MARGIN, (y += LINE), widest)
  context.fillText(words.foot, MARGIN, HEIGHT - MARGIN, widest)
  y += LINE * 1.2
  let x = MARGIN
  for (const { ink, header } of legend) {
    context.fillStyle = colour(`--series-${ink}`)
    context.fillRect(x, y - WORDS * 0.75, WORDS, WORDS * 0.75)
    context.fillStyle = colour('--text')
    context.fillText(header, x + WORDS * 1.5, y)
    x += WORDS * 3 + context.measureText(header).width
  }
}
