import { describe, expect, it } from 'vitest'
import { cellText, shorten } from '#main/exports/safe-text.ts'
import { maxCellOfSheet } from '#shared/archives/rows.ts'

describe('text for cells', () => {
  it('escapes what XML cannot hold, and what looks like an escape', () => {
    expect(cellText('a\0b\u0001c\rd')).toBe('a_x0000_b_x0001_c_x000D_d')
    expect(cellText('_x0041_ _x00zz_ _x0041')).toBe('_x005F_x0041_ _x00zz_ _x0041')
    expect(cellText(' a\n')).toBe('_x0020_a_x000A_')
    expect(cellText('\ud800a\uffff')).toBe('\ufffda\ufffd')
  })

  it('cuts at what a cell holds, never inside a character', () => {
    expect(cellText('x'.repeat(maxCellOfSheet))).toHaveLength(maxCellOfSheet)
    expect(cellText('x'.repeat(maxCellOfSheet + 1))).toBe(`${'x'.repeat(maxCellOfSheet - 1)}…`)
    expect(shorten('ab😀cd', 4)).toBe('ab…')
    expect(shorten('ab😀cd', 5)).toBe('ab😀…')
  })
})
