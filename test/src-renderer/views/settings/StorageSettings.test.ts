import { screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import type { AccountDisk } from '#shared/app/storage.ts'
import { day } from '#shared/values/day.ts'
import {
  failed,
  FakeDesk,
  account,
  good,
  otherAccount,
  pending,
} from '#test/src-renderer/helpers/fake-desk.ts'
import { choose, show } from '#test/src-renderer/helpers/show.ts'

// Dialogs load with their first use, which takes seconds where nothing is bundled.
beforeAll(async () => {
  await import('#renderer/views/settings/Settings.svelte')
  await import('#renderer/views/settings/RemoveFigures.svelte')
}, 60_000)

const nothing: AccountDisk = {
  account: otherAccount.id,
  history: { bytes: 0, days: 0, since: null },
  answers: { pages: 0, lookups: 0 },
  downloads: { files: 0, bytes: 0 },
}

const much: AccountDisk = {
  account: account.id,
  history: { bytes: 12_000_000, days: 900, since: day('2026-08-03') },
  answers: { pages: 1_200_000, lookups: 300_000 },
  downloads: { files: 3, bytes: 4_500_000_000 },
}

async function settings(desk: FakeDesk) {
  show(desk, '#/settings')
  return within(await screen.findByRole('region', { name: 'Saved figures' }))
}

const withDisk = (accounts: readonly AccountDisk[], others = { bytes: 0, days: 0 }) =>
  new FakeDesk({ accounts: [account, otherAccount] })
    .answer('settings/kept-size', () => good({ bytes: 13_500_000, days: 900 }))
    .answer('settings/disk', () => good({ accounts, others }))

it('saves the days that are looked at until that is switched off, and says what it costs', async () => {
  const desk = withDisk([much])
  const section = await settings(desk)
  const toggle = section.getByRole('switch', { name: 'Save the days you look at' })
  expect(toggle.getAttribute('aria-checked')).toBe('true')
  expect(section.getByText(/At most 500 calls a day/)).toBeTruthy()
  toggle.click()
  await waitFor(() => expect(desk.argumentsOf('settings/write')).toEqual([{ savesLooks: false }]))
})

describe('the disk in the settings', () => {
  it('is told by account and kind, however much it is, with totals', async () => {
    const section = await settings(withDisk([much, nothing], { bytes: 2_000_000, days: 1 }))
    const first = within(await section.findByRole('region', { name: 'Kestrel Media' }))
    expect(first.getByText(/^12 MB: 900 daily tables, since .*3.*2026$/)).toBeTruthy()
    expect(first.getByText('1.5 MB: 1.2 MB of reports, 300 kB of filter lists')).toBeTruthy()
    expect(first.getByText('4.5 GB in 3 files')).toBeTruthy()
    const second = within(section.getByRole('region', { name: 'Sample data' }))
    expect(second.getAllByText('Nothing yet')).toHaveLength(2)
    expect(second.queryByRole('button')).toBeNull()
    expect(section.getByText(/2 MB of figures from earlier tokens or addresses: 1 daily table/)).toBeTruthy()
    expect(section.getByText('All accounts: 4.5 GB')).toBeTruthy()
    expect(section.getByText(/Alerts save 90 days of the figures that they watch\.$/)).toBeTruthy()
  })

  it('is waited for without holding anything up, and says why it cannot be told', async () => {
    const { promise, resolve } = pending<CallOutcome<'settings/disk'>>()
    const section = await settings(new FakeDesk().answer('settings/disk', () => promise))
    expect(section.getByText(/^Measuring…/)).toBeTruthy()
    expect(screen.getByRole('region', { name: 'About' })).toBeTruthy()
    resolve(failed('disk'))
    await waitFor(() => expect(section.queryByText(/^Measuring…/)).toBeNull())
    expect(section.queryByRole('region')).toBeNull()
  })

  it('can be freed of an account’s figures, once that is agreed to', async () => {
    const desk = withDisk([much])
    const section = await settings(desk)
    ;(await section.findByRole('button', { name: 'Delete saved figures' })).click()
    const title = 'Delete saved figures of Kestrel Media?'
    const dialog = within(await screen.findByRole('dialog', { name: title }))
    expect(dialog.getByText(/^13\.5 MB are deleted .* Offline views load theirs again/s)).toBeTruthy()
    expect(desk.argumentsOf('settings/remove-figures')).toEqual([])
    desk.answer('settings/remove-figures', () => failed('disk'))
    dialog.getByRole('button', { name: 'Delete' }).click()
    expect((await dialog.findByRole('alert')).textContent).toBe('Words about disk.')
    desk.answer('settings/remove-figures', () => good(null))
    desk.answer('settings/disk', () =>
      good({ accounts: [{ ...nothing, account: account.id }], others: { bytes: 0, days: 0 } }),
    )
    dialog.getByRole('button', { name: 'Delete' }).click()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(desk.argumentsOf('settings/remove-figures')).toEqual([
      { account: account.id },
      { account: account.id },
    ])
    expect(section.queryByRole('button', { name: 'Delete saved figures' })).toBeNull()
  })
})

describe('figures that are published', () => {
  const inFolder = (folder: string | null) =>
    withDisk([much]).answer('publishing/read', ({ account: id }) =>
      good({ account: id, folder, last: null, running: false, failure: null }),
    )
  const asking = async (desk: FakeDesk) => {
    const section = await settings(desk)
    ;(await section.findByRole('button', { name: 'Delete saved figures' })).click()
    return within(await screen.findByRole('dialog', { name: 'Delete saved figures of Kestrel Media?' }))
  }

  it('stay there, unless that is chosen', async () => {
    const desk = inFolder('/mnt/team')
    const dialog = await asking(desk)
    const choice = await dialog.findByRole('checkbox', { name: 'Delete there too' })
    expect(dialog.getByText('/mnt/team')).toBeTruthy()
    expect(choice).toHaveProperty('checked', false)
    choice.click()
    dialog.getByRole('button', { name: 'Delete' }).click()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(desk.argumentsOf('settings/remove-figures')).toEqual([{ account: account.id, published: true }])
  })

  it('are not asked about where there are none', async () => {
    const dialog = await asking(inFolder(null))
    expect(dialog.queryByRole('checkbox')).toBeNull()
  })
})

describe('a lower limit', () => {
  const limit = 'Disk space for saved figures'
  const asking = async (desk: FakeDesk) => {
    const section = await settings(desk)
    const list = section.getByLabelText(limit)
    if (!(list instanceof HTMLSelectElement)) throw new TypeError('No list')
    return list
  }

  it('counts at once where it removes nothing', async () => {
    const desk = new FakeDesk()
    const list = await asking(desk)
    choose(list, '250 MB')
    await waitFor(() => expect(desk.argumentsOf('settings/write')).toEqual([{ storageLimit: 250 }]))
    expect(desk.argumentsOf('settings/beyond-limit')).toEqual([{ storageLimit: 250 }])
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('says first what it removes, and is left as it was where that is not wanted', async () => {
    const desk = new FakeDesk().answer('settings/beyond-limit', () => good({ bytes: 180e6, days: 2_300 }))
    const list = await asking(desk)
    choose(list, '250 MB')
    const asked = async () => within(await screen.findByRole('dialog', { name: 'Delete saved figures?' }))
    const dialog = await asked()
    expect(
      dialog.getByText(/^A limit of 250 MB deletes about 180 MB, including 2,300 daily tables/),
    ).toBeTruthy()
    dialog.getByRole('button', { name: 'Keep them' }).click()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect([list.value, desk.argumentsOf('settings/write').length]).toEqual(['1000', 0])
    choose(list, '500 MB')
    ;(await asked()).getByRole('button', { name: 'Delete' }).click()
    await waitFor(() => expect(desk.argumentsOf('settings/write')).toEqual([{ storageLimit: 500 }]))
    expect(list.value).toBe('500')
  })

  it('is left as it was where nobody can say what it removes', async () => {
    const desk = new FakeDesk().answer('settings/beyond-limit', () => failed('disk'))
    const list = await asking(desk)
    choose(list, '250 MB')
    expect((await screen.findByRole('alert')).textContent).toBe('Words about disk.')
    expect([list.value, desk.argumentsOf('settings/write').length]).toEqual(['1000', 0])
  })
})
