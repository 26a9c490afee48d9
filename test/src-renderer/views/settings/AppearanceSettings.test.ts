import { fireEvent, screen, waitFor } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import { applyChanges, usualSettings } from '#shared/app/settings.ts'
import { FakeDesk } from '#test/src-renderer/helpers/fake-desk.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

it('stores the newest theme that was chosen while another was being stored', async () => {
  const desk = new FakeDesk()
  const stored: (() => void)[] = []
  desk.answer(
    'settings/write',
    (changes) =>
      new Promise<CallOutcome<'settings/write'>>((resolve) => {
        stored.push(() => resolve({ ok: true, value: applyChanges(usualSettings, changes) }))
      }),
  )
  show(desk, '#/settings')
  const radio = (name: string) => screen.findByRole<HTMLInputElement>('radio', { name })
  // As quick as arrow keys pass through the choices.
  for (const name of ['Light', 'Dark', 'Match system', 'Dark']) await fireEvent.click(await radio(name))
  expect(desk.argumentsOf('settings/write')).toEqual([{ theme: 'light' }])
  stored[0]?.()
  await waitFor(() =>
    expect(desk.argumentsOf('settings/write')).toEqual([{ theme: 'light' }, { theme: 'dark' }]),
  )
  stored[1]?.()
  await waitFor(async () => expect((await radio('Dark')).checked).toBe(true))
  expect((await radio('Light')).checked).toBe(false)
})

it('stores how every CSV is written', async () => {
  const desk = new FakeDesk()
  desk.answer('settings/write', (changes) => ({ ok: true, value: applyChanges(usualSettings, changes) }))
  show(desk, '#/settings')
  const radio = (name: string) => screen.findByRole<HTMLInputElement>('radio', { name })
  expect((await radio('Commas (international)')).checked).toBe(true)
  await fireEvent.click(await radio('Semicolons and decimal commas'))
  expect(desk.argumentsOf('settings/write')).toEqual([{ csv: 'semicolon' }])
  await waitFor(async () => expect((await radio('Semicolons and decimal commas')).checked).toBe(true))
})
