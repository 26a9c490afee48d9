import { screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EarlierAccount } from '#shared/accounts/account.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { FakeDesk, account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

// Menus and dialogs load with their first use, which takes seconds where nothing is bundled.
beforeAll(
  () =>
    Promise.all([
      import('#renderer/components/frame/AccountMenu.svelte'),
      import('#renderer/views/settings/Settings.svelte'),
      import('#renderer/views/settings/RemoveAccount.svelte'),
      import('#renderer/views/raw/Raw.svelte'),
    ]),
  60_000,
)
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const earlier: EarlierAccount = {
  ...account,
  id: '5f0f3a3e-0c8c-8c53-9a51-8d5d4f0d9a01' as AccountId,
  kind: 'earlier',
  account: account.id,
  name: 'Kestrel Media, until 3 Nov 2026 (12 instances)',
}

const both = { accounts: [account, earlier] }
const chosen = { ...both, active: earlier.id, connection: { kind: 'no-token' } } as const
const heading = (name: string) => screen.findByRole('heading', { level: 1, name })

describe('earlier figures', () => {
  it('stand after the accounts in the switcher, under a heading, and can be chosen', async () => {
    const desk = new FakeDesk(both)
    show(desk, '#/overview')
    await heading('Overview')
    screen.getByRole('button', { name: `Account: ${account.name}` }).click()
    const menu = await screen.findByRole('menu', { name: 'Account' })
    const items = within(menu).getAllByRole('menuitemradio')
    expect(items.map((each) => each.querySelector('[dir]')?.textContent)).toEqual([
      account.name,
      earlier.name,
    ])
    expect(within(menu).getByText('Earlier figures')).toBeTruthy()
    items[1]?.click()
    await waitFor(() => expect(desk.argumentsOf('accounts/activate')).toEqual([{ account: earlier.id }]))
  })

  it('are read: nothing is offered that asks or saves, and the way back is named', async () => {
    const desk = new FakeDesk(chosen)
    show(desk, '#/reports/script/browsers')
    await heading('Script by browser')
    const banner = screen.getByRole('region', { name: 'Figures from earlier access' })
    expect(screen.queryByText(/enter a token/)).toBeNull()
    for (const name of ['Refresh', 'Save view', 'Keep offline', /^Views/])
      expect(screen.queryByRole('button', { name })).toBeNull()
    expect(screen.getByRole('button', { name: 'Export' })).toBeTruthy()
    within(banner)
      .getByRole('button', { name: `Show ${account.name} as it is now` })
      .click()
    await waitFor(() => expect(desk.argumentsOf('accounts/activate')).toEqual([{ account: account.id }]))
  })

  it('say what was not saved, without an offer to ask for it', async () => {
    const desk = new FakeDesk(chosen)
    desk.answer('reports/ask', () => failed('no-token'))
    show(desk, '#/reports/script/browsers')
    expect(await screen.findByRole('heading', { name: 'Nothing saved for this view' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: /again|Try/ })).toBeNull()
  })

  it('have no raw reports', async () => {
    const desk = new FakeDesk(chosen)
    show(desk, '#/raw')
    expect(await screen.findByRole('heading', { name: 'Earlier figures have no raw reports' })).toBeTruthy()
    expect(desk.called.some(({ name }) => name.startsWith('raw/list'))).toBe(false)
  })

  it('are listed under their account in the settings, to be shown and removed', async () => {
    const desk = new FakeDesk(both)
    desk.answer('accounts/remove', () => good(null))
    show(desk, '#/settings')
    await heading('Settings')
    const accounts = within(await screen.findByRole('region', { name: 'Accounts' }))
    const card = await accounts.findByRole('article', { name: account.name })
    expect(accounts.getAllByRole('article')).toHaveLength(1)
    const list = within(card).getByRole('region', { name: 'Earlier figures' })
    expect(within(list).getByRole('button', { name: 'Show', description: earlier.name })).toBeTruthy()
    within(list).getByRole('button', { name: 'Remove', description: earlier.name }).click()
    const dialog = await screen.findByRole('dialog', { name: `Remove ${earlier.name}?` })
    expect(within(dialog).queryByRole('radio')).toBeNull()
    expect(dialog.textContent).toMatch(/newer\s+figures\s+stay/)
    within(dialog).getByRole('button', { name: 'Remove' }).click()
    await waitFor(() =>
      expect(desk.argumentsOf('accounts/remove')).toEqual([{ account: earlier.id, what: 'everything' }]),
    )
  })
})
