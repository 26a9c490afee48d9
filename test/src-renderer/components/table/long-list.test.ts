import { describe, expect, it } from 'vitest'
import { LongList } from '#renderer/components/table/long-list.ts'

const ROW = 30
const SEEN = 900
const COUNT = 10_000_000

/** A frame that scrolls over the places of a list. */
function scrolled(count = COUNT) {
  const list = new LongList()
  const places = list.become(count, ROW)
  let offset = 0
  const to = (wanted: number) => {
    offset = Math.min(Math.max(0, wanted), places * ROW - SEEN)
    offset += list.follow(offset, SEEN)
  }
  return {
    list,
    places,
    to,
    by: (way: number) => to(offset + way),
    toEnd: () => to(places * ROW),
    /** The row at the upper edge. */
    top: () => Math.floor(offset / ROW) + list.shift,
    bottom: () => Math.floor((offset + SEEN) / ROW) + list.shift,
  }
}

describe('a list that is longer than a page can be high', () => {
  it('has a place for each row where there is room', () => {
    const { list, places } = scrolled(100_000)
    expect(places).toBe(100_000)
    expect(list.shift).toBe(0)
  })

  it('reaches its last row by the scroll bar, and its middle', () => {
    const frame = scrolled()
    frame.toEnd()
    expect(frame.bottom()).toBe(COUNT)
    frame.to((frame.places * ROW) / 2)
    expect(frame.top() / COUNT).toBeCloseTo(0.5, 2)
  })

  it('goes from row to row with the wheel, wherever one is, and passes no row by', () => {
    const frame = scrolled()
    frame.to((frame.places * ROW) / 3)
    for (let step = 0; step < 5000; step += 1) {
      const before = frame.top()
      frame.by(-90)
      expect(frame.top()).toBe(before - 3)
    }
  })

  it('comes to the first and the last row by the wheel', () => {
    const frame = scrolled()
    frame.to(FAR)
    for (let step = 0; frame.top() > 0 && step < 1e6; step += 1) frame.by(-600)
    expect(frame.top()).toBe(0)
    frame.toEnd()
    frame.by(-30_000)
    for (let step = 0; frame.bottom() < COUNT && step < 1e6; step += 1) frame.by(600)
    expect(frame.bottom()).toBe(COUNT)
  })

  it('brings any row into a place', () => {
    const { list, places } = scrolled()
    for (const row of [0, 4_000_000, COUNT - 1, 123, 9_999_000]) {
      const place = list.bringInto(row)
      expect(place).toBeGreaterThanOrEqual(0)
      expect(place).toBeLessThan(places)
      expect(list.shift + place).toBe(row)
    }
  })
})

/** Some thousands of rows from the beginning. */
const FAR = 4000
