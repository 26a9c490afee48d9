import { describe, expect, it } from 'vitest'
import { eventMarks, markBoxes, noteMarks } from '#renderer/components/chart/note-marks.ts'
import type { NoteMark } from '#renderer/components/chart/note-marks.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { DayEvent } from '#shared/watch/day-events.ts'
import { markedNotes } from '#shared/watch/notes.ts'
import type { DayNote, NoteId } from '#shared/watch/notes.ts'

const days = (start: string, end = start) => ({ start: day(start), end: day(end) })
const note = (start: string, end = start): DayNote => ({
  ...{ id: `${start} ${end}` as NoteId, text: 'x', subject: { kind: 'account' }, leavesOut: false },
  range: days(start, end),
})
const week = days('2026-11-16', '2026-11-22')

describe('the marks of notes', () => {
  it('number the days on which notes begin; those of one day share a mark, which is as long as the longest', () => {
    const notes = [note('2026-11-18'), note('2026-11-20', '2026-11-21'), note('2026-11-18', '2026-11-19')]
    const marked = markedNotes(notes, week)
    expect(marked.map(({ number, note: { id } }) => [number, id])).toEqual([
      [1, '2026-11-18 2026-11-18'],
      [1, '2026-11-18 2026-11-19'],
      [2, '2026-11-20 2026-11-21'],
    ])
    expect(noteMarks(marked, week)).toEqual([
      { kind: 'note', number: 1, from: 2, to: 3 },
      { kind: 'note', number: 2, from: 4, to: 5 },
    ])
  })

  it('end with the chart, and begin with it', () => {
    const notes = [
      note('2026-10-01', '2026-11-15'),
      note('2026-11-22', '2027-01-05'),
      note('2026-11-10', '2026-11-30'),
    ]
    expect(noteMarks(markedNotes(notes, week), week)).toEqual([
      { kind: 'note', number: 1, from: 0, to: 6 },
      { kind: 'note', number: 2, from: 6, to: 6 },
    ])
  })
})

it('an event is marked on its days, within the chart', () => {
  const restated = (start: string, end: string): DayEvent => ({
    ...{ kind: 'restated', range: days(start, end), latest: 0 as Instant },
  })
  expect(
    eventMarks([restated('2026-11-01', '2026-11-17'), restated('2026-11-20', '2026-12-01')], week),
  ).toEqual([
    { kind: 'restated', from: 0, to: 1 },
    { kind: 'restated', from: 4, to: 6 },
  ])
})

describe('the boxes of marks', () => {
  const area = { left: 30, right: 330 }
  const boxes = (places: readonly number[]) => {
    const marks = places.map((from, index): NoteMark => ({ kind: 'note', number: index + 1, from, to: from }))
    return markBoxes(
      marks,
      area,
      (index) => area.left + index,
      (words) => words.length * 7,
    )
  }

  it('stand above their days, within the plot', () => {
    expect(boxes([0, 150, 300])).toEqual([
      { words: '1', left: 30, width: 16 },
      { words: '2', left: 172, width: 16 },
      { words: '3', left: 314, width: 16 },
    ])
  })

  it('join where they would overlap, whatever their number', () => {
    expect(boxes([100, 110, 150]).map(({ words }) => words)).toEqual(['1–2', '3'])
    for (const step of [1, 3, 8, 17, 30]) {
      const placed = boxes(Array.from({ length: Math.floor(300 / step) }, (_, index) => index * step))
      for (const [index, { left, width }] of placed.entries()) {
        expect(left).toBeGreaterThanOrEqual(area.left)
        expect(left + width).toBeLessThanOrEqual(area.right)
        expect(left).toBeGreaterThan((placed[index - 1]?.left ?? 0) + (placed[index - 1]?.width ?? 0))
      }
      expect(placed[0]?.words).toMatch(/^1/)
    }
  })
})
