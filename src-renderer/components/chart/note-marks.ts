import type { Plugin } from 'chart.js'
import { daysBetween, lengthOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { MarkedNote } from '#shared/watch/notes.ts'
import type { Palette } from './series.ts'

/** Mark of the notes that begin on one day of a chart. `from` and `to` are indexes of days. */
export type NoteMark = { readonly number: number; readonly from: number; readonly to: number }

/** Returns one mark for each number. Its days end with the last day of its notes, or with the chart. */
export function noteMarks(notes: readonly MarkedNote[], range: DayRange): readonly NoteMark[] {
  const marks = new Map<number, NoteMark>()
  for (const { number, note } of notes) {
    const from = Math.max(0, daysBetween(range.start, note.range.start))
    const last = Math.min(lengthOf(range) - 1, daysBetween(range.start, note.range.end))
    marks.set(number, { number, from, to: Math.max(last, marks.get(number)?.to ?? 0) })
  }
  return [...marks.values()]
}

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

/** Height above the plot that the boxes need, in CSS pixels. */
export const marksHeight = ({ font }: Palette): number => heightOf(font.size) + ABOVE + 1

/** Draws numbered boxes above the days with notes, and a line along the days of each mark. */
export const noteMarksPlugin = (marks: readonly NoteMark[], palette: Palette): Plugin<'bar' | 'line'> => ({
  id: 'notes',
  afterDraw: ({ ctx, chartArea, scales }) => {
    const xOf = (index: number) => scales['x']?.getPixelForValue(index) ?? 0
    const { family, size } = palette.font
    const height = heightOf(size)
    const top = chartArea.top - height - ABOVE
    ctx.save()
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
    ctx.restore()
  },
})
