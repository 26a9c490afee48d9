import { describe, expect, it } from 'vitest'
import type { Label } from '#shared/api/answers.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import { otherLabel } from '#shared/reports/answer.ts'
import { basesFor } from '#shared/reports/rows.ts'
import { plainOverview, plainReport } from '#shared/views/address.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import { columnsOf } from '#renderer/components/table/columns.ts'
import { cardFigure, changedFigure, changedTotal } from '#renderer/views/reports/changed-figure.ts'

const at = (dimension: Dimension, more: Partial<ReportAddress> = {}): ReportAddress => ({
  ...plainReport,
  dimension,
  ...more,
})
const text = (name: string): Label => ({ kind: 'text', text: name })
const all: Label = { kind: 'all', name: null }

function cell(address: ReportAddress, label: Label, key: string) {
  const baseOf = basesFor(address, null)
  const headers = ['Label', 'Requests', 'Bad', 'Bad Rate', 'UE']
  const column = columnsOf(headers, null, baseOf).find((each) => each.key === key)
  if (!column) throw new Error(`No column ${key}`)
  return changedFigure(address, label, column, baseOf)
}

describe('the figure of a cell', () => {
  it('is a count or a rate, as its column is, or what has changed beside it', () => {
    const told = (key: string) => {
      const { header, by, base } = cell(at('browsers'), all, key) ?? {}
      return [header, by, base]
    }
    expect(told('Bad')).toEqual(['Bad', 'count', 'Requests'])
    expect(told('Bad change')).toEqual(['Bad', 'count', 'Requests'])
    expect(told('Bad Rate')).toEqual(['Bad', 'rate', 'Requests'])
    expect(told('Bad Rate change')).toEqual(['Bad', 'rate', 'Requests'])
    expect(told('Requests')).toEqual(['Requests', 'count', null])
  })

  it('is none of a name, nor of a count that no other table has', () => {
    expect(cell(at('browsers'), all, 'Label')).toBeNull()
    expect(cell(at('browsers'), all, 'UE')).toBeNull()
  })

  it('is that of a source, a campaign or an instance alone, by which other tables can be limited', () => {
    const address = at('sources', { instance: null })
    expect(cell(address, text('cheap-clicks'), 'Bad')).toMatchObject({
      row: null,
      partName: 'cheap-clicks',
      address: { source: 'cheap-clicks' },
    })
    expect(cell(at('campaigns', { source: 'news' }), text('spring'), 'Bad')).toMatchObject({
      row: null,
      address: { source: 'news', campaign: 'spring' },
    })
  })

  it('is that of a row in its own table where no other can be limited to it', () => {
    expect(cell(at('browsers'), text('Chrome'), 'Bad')?.row).toEqual({
      dimension: 'browsers',
      label: text('Chrome'),
    })
    expect(cell(at('sources'), text(otherLabel), 'Bad')?.row).toEqual({
      dimension: 'sources',
      label: text(otherLabel),
    })
    const filtered = at('browsers', { filters: { browser: 'Chrome' } })
    expect(changedTotal(filtered, basesFor(filtered, null))?.row?.label).toEqual(text('Chrome'))
    const deeper = at('browsers', { filters: { browser: 'Chrome', browser_version: '9' } })
    expect(cell(deeper, all, 'Bad')).toBeNull()
  })
})

describe('the figure of a card', () => {
  it('is its rate of requests where it has one, and none where no table counts it', () => {
    const card = (header: string, share: number | null) =>
      cardFigure(plainOverview, 'script', { header, share })
    expect(card('Bad', 0.1)).toMatchObject({ by: 'rate', base: 'Requests', row: null })
    expect(card('Requests', null)).toMatchObject({ by: 'count', base: null })
    expect(card('Drops', 0.1)).toBeNull()
  })
})
