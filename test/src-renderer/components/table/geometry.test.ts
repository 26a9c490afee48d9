import { describe, expect, it } from 'vitest'
import { headersOf } from '#shared/api/dimensions.ts'
import { columnsOf, isChange } from '#renderer/components/table/columns.ts'
import { layOut, widthOf } from '#renderer/components/table/geometry.ts'

const headers = ['Country', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile']
const plain = columnsOf(headers, null, null)
const compared = columnsOf(headers, null, () => 'Requests')
const tracksOf = (...asked: Parameters<typeof layOut>) => layOut(...asked).tracks
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

  it('gives counts of many digits the room that they need', () => {
    const width = (longest: number, available: number) =>
      tracksOf(compared, {}, available, longest)[1]?.width ?? 0
    for (const available of [400, 700]) {
      expect(width('1,234,567'.length, available)).toBeGreaterThanOrEqual(9 * 8 + 16)
      expect(width('12,345,678,901'.length, available)).toBeGreaterThanOrEqual(14 * 8 + 16)
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
    const { tracks, brief } = layOut(columns, {}, 1230, '4,812,368'.length)
    expect(brief).toBe(true)
    expect(widthOf(tracks)).toBeLessThanOrEqual(1230)
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
    const width = (longestRate: number) =>
      layOut(columnsOf(['Country', 'Bad', 'Bad Rate'], null, null), {}, 100, 5, longestRate).tracks[2]
        ?.width ?? 0
    expect(width('100,00 %'.length)).toBeGreaterThan(width('100.00%'.length))
  })
})
