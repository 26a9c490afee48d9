import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import { usualSettings } from '#shared/app/settings.ts'
import { withColumnName } from '#shared/archives/rows-file.ts'
import { plainRows, writeAddress } from '#shared/views/address.ts'
import { facetsOf } from '#renderer/views/rows/columns.ts'
import { account, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { fileOf, madeFile, rowsDesk, wholeState } from '#test/src-renderer/helpers/made-rows.ts'
import { show, type } from '#test/src-renderer/helpers/show.ts'

it('names an additional column of the account by the menu of a cell, but as no other column', async () => {
  if (wholeState.kind !== 'whole') throw new Error('The rows are whole.')
  const columns = wholeState.facts.columns.map((column) =>
    column.name === 'RESULT' ? { ...column, standard: '3' } : column,
  )
  const desk = rowsDesk([fileOf({ kind: 'whole', facts: { ...wholeState.facts, columns } })])
  show(desk, `#/rows/${madeFile}`)
  const grid = await screen.findByRole('grid', { name: 'Raw rows' })
  grid.focus()
  const header = within(grid)
    .getAllByRole('columnheader')
    .findIndex(({ textContent }) => textContent?.includes('RESULT'))
  for (let nth = 0; nth < header; nth += 1) await fireEvent.keyDown(grid, { key: 'ArrowRight' })
  await fireEvent.keyDown(grid, { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'Name this column…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Name column Additional 3' }))
  const field = dialog.getByRole('textbox', { name: 'Name' })
  type(field, 'country')
  await fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
  expect(dialog.getByRole('alert').textContent).toBe('Another column has the name country.')
  type(field, ' Sub-id ')
  await fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(desk.argumentsOf('settings/write')).toEqual([
      { columnNames: [{ account: account.id, number: '3', name: 'Sub-id' }] },
    ]),
  )
})

it.each(['ADDITIONAL 3', 'Sub-id'])(
  'is grouped by its present name where a view has an earlier one: %s',
  async (former) => {
    if (wholeState.kind !== 'whole') throw new Error('The rows are whole.')
    const columns = wholeState.facts.columns.map((column) =>
      column.name === 'SOURCE' ? { ...column, standard: '3' } : column,
    )
    const named = { account: account.id, number: '3', name: 'SOURCE', former: ['Sub-id'] }
    const desk = rowsDesk([fileOf({ kind: 'whole', facts: { ...wholeState.facts, columns } })]).answer(
      'settings/read',
      () => good({ ...usualSettings, columnNames: [named] }),
    )
    const conditions = [{ column: former, out: false, test: { kind: 'is', value: 'partner-b' } }] as const
    const groups = [{ column: former, by: 'value' }] as const
    show(desk, writeAddress({ ...plainRows, files: [madeFile], conditions, groups }))
    await screen.findByRole('grid', { name: 'Raw rows, By SOURCE' })
    const query = { conditions: [{ column: 'SOURCE', out: false, test: { kind: 'is', value: 'partner-b' } }] }
    expect(desk.argumentsOf('rows/groups').at(-1)).toMatchObject({
      ...{ query, by: [{ column: 'SOURCE', by: 'value' }] },
    })
  },
)

it('keeps the earlier names of a column', () => {
  const of = { account: account.id, number: '3' }
  const others = [{ account: account.id, number: '4', name: 'Other' }]
  const first = withColumnName(others, { ...of, name: 'Sub-id' })
  expect(first).toEqual([...others, { ...of, name: 'Sub-id' }])
  const second = withColumnName(first, { ...of, name: 'Placement' })
  expect(second).toEqual([...others, { ...of, name: 'Placement', former: ['Sub-id'] }])
  expect(withColumnName(second, { ...of, name: 'Sub-id' })).toEqual([
    ...others,
    { ...of, name: 'Sub-id', former: ['Placement'] },
  ])
  expect(withColumnName(second, { ...of, name: '' })).toEqual(others)
})

it('offers additional columns with a name as facets', () => {
  const column = (name: string, standard: string | null) => ({ name, kind: 'text', standard }) as const
  const columns = [column('RESULT', 'result'), column('ADDITIONAL 1', '1'), column('Sub-id', '2')]
  expect(facetsOf(columns)).toEqual(['RESULT', 'Sub-id'])
})
