import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import { facetsOf } from '#renderer/views/rows/columns.ts'
import { drawn } from '#test/src-renderer/helpers/drawn.ts'
import { account } from '#test/src-renderer/helpers/fake-desk.ts'
import { fileOf, madeFile, rowsDesk, wholeState } from '#test/src-renderer/helpers/made-rows.ts'
import { show, type } from '#test/src-renderer/helpers/show.ts'

vi.mock('#renderer/components/chart/draw.ts', () => ({ draw: drawn }))

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

it('offers additional columns with a name as facets', () => {
  const column = (name: string, standard: string | null) => ({ name, kind: 'text', standard }) as const
  const columns = [column('RESULT', 'result'), column('ADDITIONAL 1', '1'), column('Sub-id', '2')]
  expect(facetsOf(columns)).toEqual(['RESULT', 'Sub-id'])
})
