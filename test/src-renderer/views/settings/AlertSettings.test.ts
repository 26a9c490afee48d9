import { fireEvent, screen, waitFor } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import { applyChanges, usualSettings } from '#shared/app/settings.ts'
import { FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, type } from '#test/src-renderer/helpers/show.ts'

it('sets when findings are announced: the morning summary and quiet hours', async () => {
  const desk = new FakeDesk()
  let settings = usualSettings
  desk.answer('settings/write', (changes) => {
    settings = applyChanges(settings, changes)
    return good(settings)
  })
  show(desk, '#/settings')
  const morning = await screen.findByLabelText('Morning summary at')
  expect(morning).toHaveProperty('value', '08:00')
  type(morning, '07:30')
  await waitFor(() => expect(settings.morningAt).toBe('07:30'))
  expect(screen.queryByLabelText('From')).toBeNull()
  await fireEvent.click(screen.getByLabelText('Quiet hours'))
  expect(await screen.findByLabelText('From')).toHaveProperty('value', '20:00')
  type(screen.getByLabelText('To'), '06:00')
  await waitFor(() => expect(settings.quietHours).toEqual({ from: '20:00', to: '06:00' }))
  // A cleared field is no time.
  type(screen.getByLabelText('To'), '')
  await fireEvent.click(screen.getByLabelText('Quiet hours'))
  await waitFor(() => expect(settings.quietHours).toBeNull())
})
