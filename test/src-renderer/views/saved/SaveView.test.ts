import { screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, expect, it } from 'vitest'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import type { SavedViewId, SavedViewState } from '#shared/views/saved-views.ts'
import { account, FakeDesk, good, pending } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, type } from '#test/src-renderer/helpers/show.ts'

// Dialogs load with their first use, which takes seconds where nothing is bundled.
beforeAll(() => import('#renderer/views/saved/SaveViewDialog.svelte'))

const address = '#/reports/script/browsers'

const saved: SavedViewState = {
  id: '0f2a1c52-0000-4000-8000-000000000001' as SavedViewId,
  name: 'Browsers',
  address,
  pinned: true,
  depth: null,
  start: false,
  stored: { days: 0, total: 7, oldest: null, bytes: 0 },
  syncing: false,
  failure: null,
}

it('keeps its title until it is gone, though the list has the view before the answer', async () => {
  const { promise, resolve } = pending<CallOutcome<'views/save'>>()
  const desk = new FakeDesk().answer('views/save', () => promise)
  show(desk, address)
  ;(await screen.findByRole('button', { name: 'Save view' })).click()
  const dialog = await screen.findByRole('dialog', { name: 'Save view' })
  type(within(dialog).getByLabelText('Name'), 'Browsers')
  within(dialog).getByRole('button', { name: 'Save' }).click()
  desk.answer('views/list', () => good([saved]))
  desk.emit('views/changed', { account: account.id })
  await screen.findByRole('button', { name: 'Keep offline', pressed: true, hidden: true })
  expect(screen.getByRole('dialog', { name: 'Save view' })).toBe(dialog)
  resolve(good(saved))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

it('tells views of one name apart by what they cover', async () => {
  const other = { ...saved, name: 'Script by browser', address: '#/reports/script/networks' }
  const desk = new FakeDesk()
    .answer('views/list', () => good([other]))
    .answer('views/save', () => good(saved))
  show(desk, `${address}?period=last-28-days&source=newsletter`)
  await screen.findByRole('link', { name: /Script by browser/ })
  const keep = screen.getByRole('button', { name: 'Keep offline' })
  expect(keep.title).toBe(
    "Saves this view on your computer: Script by browser, All instances, Source: newsletter, Last 28 days. The account's other figures are not saved with it.",
  )
  keep.click()
  await waitFor(() =>
    expect(desk.argumentsOf('views/save')).toMatchObject([
      { name: 'Script by browser, All instances, Source: newsletter, Last 28 days', pinned: true },
    ]),
  )
})

it('offers the raw rows of the view beside the other actions', async () => {
  show(new FakeDesk(), address)
  ;(await screen.findByRole('button', { name: 'Request raw rows…' })).click()
  await waitFor(() => expect(window.location.hash).toMatch(/^#\/raw\?form=view/))
})
