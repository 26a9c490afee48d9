import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LONGEST_CELL, cellText, shorten, spreadsheetSafe } from '../../../src-main/exports/safe-text.ts'
import { awkwardText, seeded } from './awkward.ts'

describe('text for spreadsheets', () => {
  it.each([
    '=1+1',
    '+49 30 123',
    '-2+3',
    '@SUM(A1)',
    '\t=1',
    '\tplain',
    '\rplain',
    '\nplain',
    '＝1+1',
    '＋1',
    '－1',
    '＠a',
    '  =1',
    '\u00a0=1',
    '\u200b=1',
    '"=1',
    "'=1",
    '\0=1',
    '=cmd|’ /C calc’!A0',
  ])('marks %j as text', (text) => expect(spreadsheetSafe(text)).toBe(`'${text}`))

  it.each(['Chrome', '(undefined)', '1-2', 'a=b', "L'été", '<b>', '', '100% – +', 'x@y', '#1'])(
    'leaves %j as it is',
    (text) => expect(spreadsheetSafe(text)).toBe(text),
  )

  it('can be undone, whatever the text', () => {
    const undone = (text: string) =>
      text.startsWith("'") && spreadsheetSafe(text.slice(1)) === text ? text.slice(1) : text
    fc.assert(
      fc.property(awkwardText, (text) => undone(spreadsheetSafe(text)) === text),
      seeded(),
    )
  })

  it('never begins with what a spreadsheet calculates', () => {
    fc.assert(
      fc.property(awkwardText, (text) => !/^[=+\-@\t\r＝＋－＠]/u.test(spreadsheetSafe(text))),
      seeded(),
    )
  })
})

describe('text for cells', () => {
  it('escapes what XML cannot hold, and what looks like an escape', () => {
    expect(cellText('a\0b\u0001c\rd')).toBe('a_x0000_b_x0001_c_x000D_d')
    expect(cellText('_x0041_ _x00zz_ _x0041')).toBe('_x005F_x0041_ _x00zz_ _x0041')
    expect(cellText(' a\n')).toBe('_x0020_a_x000A_')
    expect(cellText('\ud800a\uffff')).toBe('\ufffda\ufffd')
  })

  it('cuts at what a cell holds, never inside a character', () => {
    expect(cellText('x'.repeat(LONGEST_CELL))).toHaveLength(LONGEST_CELL)
    expect(cellText('x'.repeat(LONGEST_CELL + 1))).toBe(`${'x'.repeat(LONGEST_CELL - 1)}…`)
    expect(shorten('ab😀cd', 4)).toBe('ab…')
    expect(shorten('ab😀cd', 5)).toBe('ab😀…')
  })
})
