import { describe, expect, it } from 'vitest'
import { columnsOf, isChange } from '#renderer/components/table/columns.ts'
import { layOut, widthOf, LongList } from '#renderer/components/table/geometry.ts'
import { headersOf } from '#shared/api/dimensions.ts'

const headers = ['Country', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile']
const plain = columnsOf(headers, null, null)
const compared = columnsOf(headers, null, () => 'Requests')
const tracksOf = (...asked: Parameters<typeof layOut>) => layOut(...asked).tracks
const texts = { count: '', rate: '', change: '', briefChange: '', points: '' }
const scriptHeaders = ['Browser', ...headersOf('script', 'browsers').slice(1)]
const withRates = scriptHeaders.flatMap((header, place) =>
  place > 1 ? [header, `${header} Rate`] : [header],
)

describe('where columns lie', () => {
  it('fills the frame where there is room, each figure as wide as the others', () => {
    const [label, ...figures] = tracksOf(plain, {}, 1200)
    expect(label?.width).toBe(336)
    expect(figures.map(({ width }) => width)).toEqual([216, 216, 216, 216])
  })

  it('narrows the labels before the figures have to scroll', () => {
    const usual = tracksOf(plain, {}, 1200)
    const narrow = tracksOf(plain, {}, 700)
    expect(narrow[0]?.width).toBeLessThan(usual[0]?.width ?? 0)
    expect(widthOf(narrow)).toBeLessThanOrEqual(700)
  })

  it('lets figures scroll rather than take the last room from the labels', () => {
    const tracks = tracksOf(compared, {}, 400)
    expect(tracks[0]?.width).toBeGreaterThanOrEqual(144)
    expect(widthOf(tracks)).toBeGreaterThan(400)
  })

  it('gives free space to texts before figures, which need none', () => {
    const columns = columnsOf(['Source', 'User agent', 'Rows', 'Bad'], null, null, {
      kinds: (header) => (header === 'User agent' ? 'text' : 'count'),
    })
    const [, text, ...figures] = tracksOf(columns, {}, 1200)
    expect(figures.map(({ width }) => width)).toEqual([84, 84])
    expect(text?.width).toBe(1200 - 336 - 2 * 84)
  })

  it('narrows labels beside texts only if nothing has to scroll then', () => {
    const columns = columnsOf(['Time', 'Source', 'Rows', 'Bad'], null, null, {
      kinds: (header) => (header === 'Source' ? 'text' : 'count'),
    })
    const narrow = tracksOf(columns, {}, 450)
    expect(widthOf(narrow)).toBeLessThanOrEqual(450)
    expect(narrow[0]?.width).toBeLessThan(232)
    // A scrolling table has labels of full width, such as timestamps with offset.
    expect(tracksOf(columns, {}, 400)[0]?.width).toBe(Math.min(232, 400 * 0.45))
  })

  it('gives counts of many digits the room that they need', () => {
    const width = (count: string, available: number) =>
      tracksOf(compared, {}, available, { ...texts, count })[1]?.width ?? 0
    for (const available of [400, 700]) {
      expect(width('1,234,567', available)).toBeGreaterThanOrEqual(9 * 8 + 16)
      expect(width('12,345,678,901', available)).toBeGreaterThanOrEqual(14 * 8 + 16)
    }
  })

  it('gives bold totals the width that they are measured to have, and the space around them', () => {
    const measure = (text: string) => text.length * 12
    for (const [available, around] of [
      [300, 16],
      [2000, 24],
    ] as const) {
      const [, total] = tracksOf(plain, {}, available, { ...texts, count: '5,027,900' }, measure)
      expect(total?.width).toBeGreaterThanOrEqual(9 * 12 + around)
    }
  })

  it('lays a change beside its column, and gives the room that is left to the figures', () => {
    const { tracks, beneath } = layOut(compared, {}, 1600)
    expect(beneath).toBe(false)
    expect(widthOf(tracks)).toBeLessThanOrEqual(1600)
    compared.forEach((column, place) => {
      const [before, own] = [tracks[place - 1], tracks[place]]
      if (before) expect(own?.start).toBe(before.start + before.width)
      if (isChange(column)) expect(own?.width).toBe(132)
    })
  })

  it('lays it beneath where there is no room for that, as wide as its column', () => {
    const { tracks, beneath, brief } = layOut(compared, { Suspect: 300 }, 1200)
    expect(tracks).toHaveLength(compared.length)
    compared.forEach((column, place) => {
      if (isChange(column)) expect(tracks[place]).toEqual(tracks[place - 1])
    })
    expect(tracks[compared.findIndex(({ key }) => key === 'Suspect change')]?.width).toBe(300)
    expect({ beneath, brief }).toEqual({ beneath: true, brief: false })
  })

  it('writes changes briefly where they would not fit, so that all rates do in a window of 1280 pixels', () => {
    const columns = columnsOf(withRates, null, () => 'Requests')
    expect(columns.filter(isChange)).toHaveLength(13)
    const { tracks, brief } = layOut(columns, {}, 1230, { ...texts, count: '4,812,368' })
    expect(brief).toBe(true)
    expect(widthOf(tracks)).toBeLessThanOrEqual(1230)
  })

  it.each([1199, 1200, 1201, 1202, 1203])('ends at the edge of a frame of %d pixels', (available) => {
    expect(available - widthOf(tracksOf(plain, {}, available))).toBeLessThanOrEqual(1)
  })

  it('leaves a width that was chosen as it is', () => {
    expect(tracksOf(plain, { Suspect: 300 }, 1200)[3]?.width).toBe(300)
  })

  it('gives a header the room of its longest word, so that none is broken, up to what nobody would write', () => {
    const named = (header: string) =>
      layOut(columnsOf(['Country', 'A', header], null, null), {}, 300).tracks[2]
    const word = 'Donaudampfschifffahrt'
    expect(named(word)?.width).toBeGreaterThan(word.length * 6)
    expect(named(`${word} und mehr`)?.width).toBe(named(word)?.width)
    expect(named('x'.repeat(1000))?.width).toBeLessThan(400)
  })

  it('gives a header of three words the room of two lines, so that a rate keeps its name', () => {
    const named = (header: string) =>
      layOut(columnsOf(['Country', 'A', header], null, null), {}, 300).tracks[2]?.width ?? 0
    for (const header of ['Ad Blocking Rate', 'Rate Blocking Ad']) {
      expect(named(header)).toBeGreaterThan(named('Blocking'))
      expect(named(header)).toBeLessThanOrEqual(named('AdxBlocking'))
    }
  })

  it('gives rates the room that their language takes', () => {
    const width = (rate: string) =>
      tracksOf(columnsOf(['Country', 'Bad', 'Bad Rate'], null, null), {}, 100, { ...texts, rate })[2]
        ?.width ?? 0
    expect(width('1.000,00 %')).toBeGreaterThan(width('100.00%'))
  })
})

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
