import { screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { Account } from '#shared/accounts/account.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { FakeDesk, account, otherAccount } from '#test/src-renderer/helpers/fake-desk.ts'
import { choose, show } from '#test/src-renderer/helpers/show.ts'

const many = (length: number): readonly Account[] => [
  account,
  ...Array.from({ length: length - 1 }, (_, nth) => ({
    ...otherAccount,
    id: `00000000-0000-4000-8000-0000000001${String(nth).padStart(2, '0')}` as AccountId,
    name: `Client ${nth}`,
  })),
]

async function cards(accounts: readonly Account[]) {
  show(new FakeDesk({ accounts }), '#/settings')
  const section = within(await screen.findByRole('region', { name: 'Accounts' }))
  return () =>
    section.getAllByRole('article').map((card) => within(card).getByRole('heading').textContent?.trim())
}

describe('the settings of accounts', () => {
  it('stand below each other while they are few', async () => {
    const shown = await cards(many(5))
    expect(shown()).toHaveLength(5)
    expect(screen.queryByRole('combobox', { name: 'Show settings of' })).toBeNull()
  })

  it('are those of one at a time among a hundred: of that in use, until another is chosen', async () => {
    const shown = await cards(many(100))
    expect(shown()).toEqual([expect.stringContaining('Kestrel Media')])
    choose(screen.getByRole('combobox', { name: 'Show settings of' }), 'Client 57')
    await waitFor(() => expect(shown()).toEqual([expect.stringContaining('Client 57')]))
  })
})
