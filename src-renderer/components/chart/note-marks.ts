import type { Plugin } from 'chart.js'
import { daysBetween, lengthOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { DayEvent } from '#shared/watch/day-events.ts'
import type { MarkedNote } from '#shared/watch/notes.ts'
import type { Palette } from './series.ts'

/** Days of a mark, as indexes of the days of a chart. */
type MarkedDays = { readonly from: number; readonly to: number }

/** Mark of the notes that begin on one day. */
export type NoteMark = MarkedDays & { readonly kind: 'note'; readonly number: number }

/** Mark of what the app itself knows of days. */
export type EventMark = MarkedDays & { readonly kind: DayEvent['kind'] }

export type DayMark = NoteMark | EventMark

/** Returns the part of days that a chart shows. */
const shownDays = (days: DayRange, range: DayRange): MarkedDays => ({
  from: Math.max(0, daysBetween(range.start, days.start)),
  to: Math.min(lengthOf(range) - 1, daysBetween(range.start, days.end)),
})

/** Returns one mark for each number. Its days end with the last day of its notes, or with the chart. */
export function noteMarks(notes: readonly MarkedNote[], range: DayRange): readonly NoteMark[] {
  const marks = new Map<number, NoteMark>()
  for (const { number, note } of notes) {
    const { from, to } = shownDays(note.range, range)
    marks.set(number, { kind: 'note', number, from, to: Math.max(to, marks.get(number)?.to ?? 0) })
  }
  return [...marks.values()]
}

/** Returns a mark for each event on the days of a chart. */
export const eventMarks = (events: readonly DayEvent[], range: DayRange): readonly EventMark[] =>
  events.map(({ kind, range: days }) => ({ kind, ...shownDays(days, range) }))

/** A box with the numbers of one mark, or of several whose boxes would overlap; in CSS pixels. */
export type MarkBox = { readonly words: string; readonly left: number; readonly width: number }

/** Space between two boxes, and between a box and its text, in CSS pixels. */
const GAP = 2
const PADDING = 4

/**
 * Places a box above the first day of each mark, within the plot. Boxes without room join: `2–4`.
 * @param xOf centre of a day
 * @param widthOf width of a text
 */
export function markBoxes(
  marks: readonly NoteMark[],
  { left, right }: { readonly left: number; readonly right: number },
  xOf: (index: number) => number,
  widthOf: (words: string) => number,
): readonly MarkBox[] {
  const boxes: (MarkBox & { readonly first: number })[] = []
  const boxAt = (first: number, last: number, x: number) => {
    const words = first === last ? String(first) : `${first}–${last}`
    const width = Math.max(16, widthOf(words) + 2 * PADDING)
    return { first, words, width, left: Math.max(left, Math.min(right - width, x - width / 2)) }
  }
  for (const { number, from } of marks) {
    let box = boxAt(number, number, xOf(from))
    for (let last = boxes.at(-1); last && last.left + last.width + GAP > box.left; last = boxes.at(-1)) {
      boxes.pop()
      box = boxAt(last.first, number, (last.left + box.left + box.width) / 2)
    }
    boxes.push(box)
  }
  return boxes.map(({ words, left: start, width }) => ({ words, left: start, width }))
}

/** Height of a box for a font size, in CSS pixels. */
const heightOf = (size: number): number => size + 4

/** Space between a box and the plot, in CSS pixels. */
const ABOVE = 3

/** Height of the row of each kind of event, and half the width of its symbols, in CSS pixels. A finding's is a disc. */
const ROW = 15
const SYMBOL = { finding: 6, restated: 4 } as const

/** Kinds of events, from the row nearest to the plot upwards, with their colours. */
const eventColours: readonly (readonly [kind: EventMark['kind'], token: string])[] = [
  ['finding', '--accent'],
  ['restated', '--warning'],
]

const isNote = (mark: DayMark): mark is NoteMark => mark.kind === 'note'

/** Height above the plot that the boxes of notes need, in CSS pixels. */
const boxesHeight = (marks: readonly DayMark[], { font }: Palette): number =>
  marks.some(isNote) ? heightOf(font.size) + ABOVE + 1 : 0

/** Height above the plot that all marks need, in CSS pixels. */
export const marksHeight = (marks: readonly DayMark[], palette: Palette): number =>
  boxesHeight(marks, palette) +
  ROW * eventColours.filter(([kind]) => marks.some((mark) => mark.kind === kind)).length

/** Draws the marks above the plot: numbered boxes of notes, and above them a row of symbols for each kind of event. */
export const marksPlugin = (marks: readonly DayMark[], palette: Palette): Plugin<'bar' | 'line'> => ({
  id: 'marks',
  afterDraw: ({ ctx, chartArea, scales }) => {
    const xOf = (index: number) => scales['x']?.getPixelForValue(index) ?? 0
    ctx.save()
    drawNotes(ctx, marks.filter(isNote), chartArea, xOf, palette)
    let bottom = chartArea.top - boxesHeight(marks, palette)
    for (const [kind, token] of eventColours) {
      const own = marks.filter((mark) => mark.kind === kind)
      if (own.length === 0) continue
      ctx.strokeStyle = ctx.fillStyle = palette.colour(token)
      for (const mark of own) drawEvent(ctx, kind, [xOf(mark.from), xOf(mark.to)], bottom - ROW / 2, palette)
      bottom -= ROW
    }
    ctx.restore()
  },
})

/** A line along the days of an event, with its symbol at the first: a disc with `!`, or a square for restated days. */
function drawEvent(
  ctx: CanvasRenderingContext2D,
  kind: EventMark['kind'],
  [start, end]: readonly [number, number],
  y: number,
  { colour, font }: Palette,
): void {
  const size = SYMBOL[kind]
  ctx.lineWidth = 2
  ctx.beginPath()
  ctx.moveTo(start, y)
  ctx.lineTo(end, y)
  ctx.stroke()
  ctx.beginPath()
  if (kind === 'restated') ctx.rect(start - size, y - size, 2 * size, 2 * size)
  else ctx.arc(start, y, size, 0, 2 * Math.PI)
  ctx.fill()
  if (kind === 'restated') return
  const { fillStyle } = ctx
  ctx.fillStyle = colour('--surface')
  ctx.font = `700 ${2 * size - 2}px ${font.family}`
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  ctx.fillText('!', start, y + 0.5)
  ctx.fillStyle = fillStyle
}

/** Draws numbered boxes above the days with notes, and a line along the days of each mark. */
function drawNotes(
  ctx: CanvasRenderingContext2D,
  marks: readonly NoteMark[],
  chartArea: { readonly left: number; readonly right: number; readonly top: number },
  xOf: (index: number) => number,
  palette: Palette,
): void {
  const { family, size } = palette.font
  const height = heightOf(size)
  const top = chartArea.top - height - ABOVE
  ctx.font = `600 ${size}px ${family}`
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  ctx.strokeStyle = ctx.fillStyle = palette.colour('--text')
  for (const { from, to } of marks) {
    // A line along the days with ends below it; a single day has a triangle that points to it.
    const [start, end] = [xOf(from), xOf(to)]
    const y = chartArea.top - 1
    ctx.beginPath()
    if (from === to) {
      ctx.moveTo(start - 4, y - 2)
      ctx.lineTo(start + 4, y - 2)
      ctx.lineTo(start, y + 4)
      ctx.fill()
    } else {
      ctx.moveTo(start, y + 5)
      ctx.lineTo(start, y)
      ctx.lineTo(end, y)
      ctx.lineTo(end, y + 5)
      ctx.lineWidth = 2
      ctx.stroke()
    }
  }
  ctx.lineWidth = 1
  for (const { words, left, width } of markBoxes(
    marks,
    chartArea,
    xOf,
    (text) => ctx.measureText(text).width,
  )) {
    ctx.beginPath()
    ctx.roundRect(Math.round(left) + 0.5, Math.round(top) + 0.5, Math.round(width), height, 3)
    ctx.fillStyle = palette.colour('--surface')
    ctx.fill()
    ctx.stroke()
    ctx.fillStyle = palette.colour('--text')
    ctx.fillText(words, Math.round(left) + 0.5 + Math.round(width) / 2, top + height / 2 + 1)
  }
}
