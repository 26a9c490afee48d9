import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import GroupForm from '#renderer/views/rows/GroupForm.svelte'
import { choose as select } from '#test/src-renderer/helpers/show.ts'

const columns = [
  { name: 'COUNTRY', kind: 'text', standard: 'country' },
  { name: 'RESULT', kind: 'text', standard: 'result' },
] as const

it('keeps what was chosen while the archives are told anew', async () => {
  const choose = vi.fn()
  const given = () => ({ columns: [...columns], groups: [] })
  const { rerender } = render(GroupForm, {
    props: { ...given(), anchor: document.body, choose, close: vi.fn() },
  })
  select(screen.getByRole('combobox', { name: 'First' }), 'COUNTRY')
  await rerender(given())
  await fireEvent.click(screen.getByRole('button', { name: 'Group' }))
  expect(choose.mock.calls).toEqual([[[{ column: 'COUNTRY', by: 'value' }]]])
})

it('offers the click IDs of pages', async () => {
  const choose = vi.fn()
  const page = [{ name: 'PAGE', kind: 'text', standard: 'page' }] as const
  render(GroupForm, {
    props: { columns: [...page], groups: [], anchor: document.body, choose, close: vi.fn() },
  })
  select(screen.getByRole('combobox', { name: 'First' }), 'PAGE (click ID)')
  await fireEvent.click(screen.getByRole('button', { name: 'Group' }))
  expect(choose.mock.calls).toEqual([[[{ column: 'PAGE', by: 'click-id' }]]])
})
