import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '#shared/accounts/account.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { FakeDesk, account, otherAccount } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, type } from '#test/src-renderer/helpers/show.ts'

// It loads with its first use, which takes seconds where nothing is bundled.
beforeAll(() => import('#renderer/components/frame/AccountMenu.svelte'))

/** A hundred, of which some have a part of their name in common. */
const many: readonly Account[] = [
  account,
  ...Array.from({ length: 99 }, (_, nth) => ({
    ...otherAccount,
    id: `00000000-0000-4000-8000-0000000001${String(nth).padStart(2, '0')}` as AccountId,
    name: `Client ${nth} of ${nth % 2 === 0 ? 'the north' : 'the south'}`,
  })),
]

async function opened(accounts: readonly Account[]) {
  const desk = new FakeDesk({ accounts })
  show(desk, '#/settings')
  await fireEvent.click(await screen.findByRole('button', { name: 'Account: Kestrel Media' }))
  const menu = await screen.findByRole('menu', { name: 'Account' })
  const names = () =>
    within(menu)
      .queryAllByRole('menuitemradio')
      .map((item) => item.querySelector('span')?.textContent)
  return { desk, menu: within(menu), names, activated: () => desk.argumentsOf('accounts/activate') }
}

describe('the switcher with a hundred accounts', () => {
  it('begins in its search, which finds words of a name in any order, and takes the first with Enter', async () => {
    const { names, activated } = await opened(many)
    const field = screen.getByRole('searchbox', { name: 'Search accounts' })
    await waitFor(() => expect(document.activeElement).toBe(field))
    expect(names()).toHaveLength(100)
    type(field, 'north 42')
    await waitFor(() => expect(names()).toEqual(['Client 42 of the north']))
    await fireEvent.submit(field)
    await waitFor(() => expect(activated()).toEqual([{ account: many[43]?.id }]))
  })

  it('chooses nobody by a space, nor by Enter before anything is typed', async () => {
    const { menu, activated } = await opened(many)
    const [first] = menu.getAllByRole('menuitemradio')
    if (!first) throw new Error('No account')
    first.focus()
    // A space that is not held back presses a button.
    expect(await fireEvent.keyDown(first, { key: ' ' })).toBe(false)
    await fireEvent.submit(screen.getByRole('searchbox', { name: 'Search accounts' }))
    expect(activated()).toEqual([])
    expect(screen.getByRole('menu', { name: 'Account' })).toBeTruthy()
  })

  it('keeps what can be done with all of them beside what is found, outside of what is scrolled', async () => {
    const { menu, names } = await opened(many)
    type(screen.getByRole('searchbox', { name: 'Search accounts' }), 'nobody is called this')
    await screen.findByText('No matching account.')
    expect(names()).toEqual([])
    expect(menu.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual([
      ...['All accounts', 'Add account', 'Manage accounts'],
    ])
    expect(within(menu.getByRole('group', { name: 'Accounts' })).queryAllByRole('menuitem')).toEqual([])
  })
})

describe('the switcher with two accounts', () => {
  it('begins at the first, and has its search with the first letter', async () => {
    const { menu, names } = await opened([account, otherAccount])
    const [first] = menu.getAllByRole('menuitemradio')
    await waitFor(() => expect(document.activeElement).toBe(first))
    expect(screen.queryByRole('searchbox', { name: 'Search accounts' })).toBeNull()
    if (first) await fireEvent.keyDown(first, { key: 's' })
    const field = await screen.findByRole('searchbox', { name: 'Search accounts' })
    expect(field instanceof HTMLInputElement && field.value).toBe('s')
    await waitFor(() => expect(document.activeElement).toBe(field))
    type(field, 'sample')
    await waitFor(() => expect(names()).toEqual(['Sample data']))
  })
})
