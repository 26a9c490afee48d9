import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import ZoneField from '#renderer/components/dates/ZoneField.svelte'
import { openList, pick, type } from '#test/src-renderer/helpers/show.ts'

function shown(value: string) {
  render(ZoneField, { value, first: ['Asia/Tokyo', 'UTC'], hint: 'Where days begin.', fault: undefined })
  return screen.getByRole('combobox', { name: 'Time zone' })
}

it('lists likely zones first, and finds others by their words', async () => {
  const field = shown('UTC')
  await openList('Time zone')
  const names = (await screen.findAllByRole('option')).map(({ textContent }) => textContent.trim())
  expect(names.slice(0, 2)).toEqual(['Asia/Tokyo', 'UTC'])
  expect(new Set(names).size).toBe(names.length)
  type(field, 'new york')
  await fireEvent.pointerUp(await screen.findByRole('option', { name: 'America/New_York' }))
  expect(field).toHaveProperty('value', 'America/New_York')
})

it('keeps a zone that is chosen again', async () => {
  const field = shown('UTC')
  await pick('Time zone', 'UTC')
  await fireEvent.blur(field)
  expect(field).toHaveProperty('value', 'UTC')
})
