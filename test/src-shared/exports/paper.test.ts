import { expect, it } from 'vitest'
import { usualPaper, readPrintAddress, writePrintAddress } from '#shared/exports/paper.ts'
import { day } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'

const account = '11111111-1111-4111-8111-111111111111' as AccountId
const view = '#/reports/script/browsers?search=a%26b'

it('is read back as it was written', () => {
  const paper = {
    title: 'Wk & 47',
    comment: 'a\nb "c"',
    without: ['Ad Blocker'],
    whole: true,
    words: true,
    notes: true,
  }
  for (const madeAt of [null, 1_795_511_640_123 as Instant])
    for (const of of [null, day('2026-11-20')])
      expect(readPrintAddress(writePrintAddress({ account, view, paper, madeAt, day: of }))).toEqual({
        ...{ account, view, paper, madeAt, day: of },
      })
})

it.each(['', '{broken', 'null', '[]', '7', '{"title":7,"comment":[],"without":"x"}'])(
  'is that of the usual paper where what is said of it cannot be understood: %s',
  (paper) => {
    const address = `#/print?${new URLSearchParams({ account, view, paper }).toString()}`
    expect(readPrintAddress(address)?.paper).toEqual(usualPaper)
  },
)
