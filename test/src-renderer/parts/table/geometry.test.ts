import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../../../src-renderer/parts/table/columns.ts'
import { tracksOf, widthOf } from '../../../../src-renderer/parts/table/geometry.ts'

const headers = ['Country', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile']
const plain = columnsOf(headers, null, false)
const compared = columnsOf(headers, null, true)

describe('where columns lie', () => {
  it('fills the frame where there is room, each figure as wide as the others', () => {
    const [label, ...figures] = tracksOf(plain, {}, 1200)
    expect(label?.width).toBe(336)
    expect(figures.map(({ width }) => width)).toEqual([216, 216, 216, 216])
  })

  it('narrows the labels before the figures have to scroll', () => {
    const usual = tracksOf(compared, {}, 1400)
    const narrow = tracksOf(compared, {}, 1200)
    expect(narrow[0]?.width).toBeLessThan(usual[0]?.width ?? 0)
    expect(widthOf(narrow)).toBeLessThanOrEqual(1200)
  })

  it('lets figures scroll rather than take the last room from the labels', () => {
    const tracks = tracksOf(compared, {}, 700)
    expect(tracks[0]?.width).toBeGreaterThanOrEqual(144)
    expect(widthOf(tracks)).toBeGreaterThan(700)
  })

  it('gives counts of many digits the room that they need', () => {
    const width = (longest: number, place: number) => tracksOf(compared, {}, 700, longest)[place]?.width ?? 0
    expect(width('1,234,567'.length, 2)).toBeGreaterThanOrEqual(width(6, 2) + 21)
    expect(width('12,345,678,901'.length, 1)).toBeGreaterThan(width(6, 1))
  })

  it('leaves a width that was chosen as it is', () => {
    expect(tracksOf(plain, { Suspect: 300 }, 1200)[3]?.width).toBe(300)
  })
})
