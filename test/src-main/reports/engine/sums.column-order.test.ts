import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinOrders } from '#main/reports/engine/sums.ts'
import { byCodePoints } from '#shared/values/text.ts'
import { checkProperty } from '#test/helpers/properties.ts'

/** The definition: code point by code point, the shorter first. */
function reference(one: string, other: string): number {
  const [left, right] = [[...one], [...other]].map((each) => each.map((point) => point.codePointAt(0) ?? 0))
  for (const [place, point] of (left ?? []).entries()) {
    const against = right?.[place]
    if (against === undefined) return 1
    if (point !== against) return Math.sign(point - against)
  }
  return Math.sign((left ?? []).length - (right ?? []).length)
}

/** Texts that begin alike and differ where it is hard: half characters, and beyond the basic plane. */
const text = fc
  .array(fc.constantFrom('a', 'b', '\ud83d', '\ude00', '\ude01', '\ud83e', '\ue000', '\uffff', '😀'), {
    maxLength: 5,
  })
  .map((parts) => parts.join(''))

describe('code points', () => {
  it('order texts as the definition says', () => {
    checkProperty(
      'code points',
      fc.property(text, text, (one, other) => {
        expect(Math.sign(byCodePoints(one, other))).toBe(reference(one, other))
      }),
      3000,
    )
  })

  it('differ from the order of JavaScript beyond the basic plane', () => {
    expect(['\uffee', '😀'].sort(byCodePoints)).toEqual(['\uffee', '😀'])
    expect(['\uffee', '😀'].sort()).toEqual(['😀', '\uffee'])
  })
})

describe('the columns of several tables', () => {
  it('keep the order of each, and stand by code points where that is left open', () => {
    expect(joinOrders([['SP', 'UE'], ['BT', 'SP'], []])).toEqual(['BT', 'SP', 'UE'])
    expect(joinOrders([['UE', 'SP'], ['BT']])).toEqual(['BT', 'UE', 'SP'])
    expect(joinOrders([])).toEqual([])
  })

  it('are all there, even where the tables contradict each other', () => {
    expect(joinOrders([['A', 'B'], ['B', 'A'], ['C']])).toEqual(['C', 'A', 'B'])
  })

  it('follow any order that all tables were cut from', () => {
    const cut = fc
      .shuffledSubarray([...'ABCDEFG'])
      .chain((order) =>
        fc.record({ order: fc.constant(order), cuts: fc.array(fc.subarray(order), { minLength: 1 }) }),
      )
    checkProperty(
      'column orders',
      fc.property(cut, ({ cuts }) => {
        const joined = joinOrders(cuts)
        expect(new Set(joined)).toEqual(new Set(cuts.flat()))
        for (const each of cuts) expect(joined.filter((header) => each.includes(header))).toEqual(each)
      }),
      300,
    )
  })
})
