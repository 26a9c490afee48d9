/** What stands above a chart that is saved: its name, its days, and what its colours mean. */
type PictureWords = {
  readonly title: string
  readonly subtitle: string
  /** Marks by the token of their ink (`--series-good`), with their names. */
  readonly legend: readonly { readonly token: string; readonly name: string }[]
}

const MARGIN = 16
const TITLE = 18
const WORDS = 12
const MARK = 10

/**
 * The chart as a PNG: as it is on screen, as sharp as the screen, on the colour of the surface, under its title.
 * @returns null where the picture cannot be made (a canvas without size)
 */
export async function pngOf(
  canvas: HTMLCanvasElement,
  words: PictureWords,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const width = canvas.clientWidth + 2 * MARGIN
  const head = MARGIN + TITLE * 1.4 + WORDS * 1.6 * (words.legend.length > 0 ? 2 : 1) + MARGIN / 2
  const scale = canvas.clientWidth > 0 ? canvas.width / canvas.clientWidth : 0
  const picture = document.createElement('canvas')
  picture.width = Math.round(width * scale)
  picture.height = Math.round((head + canvas.clientHeight + MARGIN) * scale)
  const context = picture.getContext('2d')
  if (!context || picture.width === 0 || picture.height === 0) return null
  const style = getComputedStyle(canvas)
  const colour = (token: string) => style.getPropertyValue(token).trim()
  context.scale(scale, scale)
  context.fillStyle = colour('--surface')
  context.fillRect(0, 0, width, head + canvas.clientHeight + MARGIN)
  writeHead(context, words, { font: style.fontFamily, colour, width: width - 2 * MARGIN })
  context.drawImage(canvas, MARGIN, head, canvas.clientWidth, canvas.clientHeight)
  const blob = await new Promise<Blob | null>((made) => picture.toBlob(made, 'image/png'))
  return blob && new Uint8Array(await blob.arrayBuffer())
}

type Head = { readonly font: string; readonly colour: (token: string) => string; readonly width: number }

function writeHead(
  context: CanvasRenderingContext2D,
  words: PictureWords,
  { font, colour, width }: Head,
): void {
  let y = MARGIN + TITLE
  context.fillStyle = colour('--text')
  context.font = `600 ${TITLE}px ${font}`
  context.fillText(words.title, MARGIN, y, width)
  y += WORDS * 1.8
  context.font = `${WORDS}px ${font}`
  context.fillStyle = colour('--text-quiet')
  context.fillText(words.subtitle, MARGIN, y, width)
  y += WORDS * 1.6
  let x = MARGIN
  for (const { token, name } of words.legend) {
    context.fillStyle = colour(token)
    context.fillRect(x, y - MARK, MARK, MARK)
    context.fillStyle = colour('--text')
    context.fillText(name, x + MARK + 6, y)
    x += MARK + 6 + context.measureText(name).width + MARGIN
  }
}
