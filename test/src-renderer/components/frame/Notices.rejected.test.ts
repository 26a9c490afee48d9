import { screen, waitFor, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { describe, expect, it } from 'vitest'
import type { Account } from '#shared/accounts/account.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { account, failed, FakeDesk, otherAccount } from '#test/src-renderer/helpers/fake-desk.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

const pinned: Account = { ...otherAccount, name: 'Falcon Travel', kind: 'service', address: account.address }
const third: Account = { ...pinned, id: '5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9a03' as AccountId, name: 'Heron' }
const earlier: Account = {
  ...account,
  id: '5f0f3a3e-0c8c-8c53-9a51-8d5d4f0d9a01' as AccountId,
  kind: 'earlier',
  account: account.id,
  name: 'Kestrel Media, until 3 Nov 2026',
}
const one = 'The service rejected the access token of “Falcon Travel”'

/** A window at an address whose view stands: the service rejects tokens while it is open. */
async function opened(accounts: readonly Account[], address = '#/overview', heading = 'Overview') {
  const desk = new FakeDesk({ accounts }).answer('reports/ask', () => failed('offline'))
  show(desk, address)
  await screen.findByRole('heading', { level: 1, name: heading })
  return desk
}

const reject = (desk: FakeDesk, { id }: Account) =>
  desk.emit('connection/changed', { account: id, connection: { kind: 'refused' } })
const notices = async () =>
  within(
    await screen.findByRole('region', { name: 'Notices' }).then(({ parentElement }) => {
      if (!parentElement) throw new Error('No notices')
      return parentElement
    }),
  )

describe('the rejected token of another account', () => {
  it('is announced by name, and replaced where it is announced', async () => {
    const desk = await opened([account, pinned])
    expect(screen.queryByText(one)).toBeNull()
    reject(desk, pinned)
    await screen.findByText(one)
    const field = (await notices()).getByLabelText('Access token')
    if (!(field instanceof HTMLInputElement)) throw new Error('No field')
    field.value = 'newer'
    field.dispatchEvent(new Event('input', { bubbles: true }))
    screen.getByRole('button', { name: 'Use new token' }).click()
    await waitFor(() =>
      expect(desk.argumentsOf('accounts/renew-token')).toEqual([
        { account: pinned.id, token: 'newer', storage: 'keychain' },
      ]),
    )
    desk.emit('connection/changed', { account: pinned.id, connection: { kind: 'online' } })
    await waitFor(() => expect(screen.queryByText(one)).toBeNull())
  })

  it('is announced again once it is rejected again after it was dismissed', async () => {
    const desk = await opened([account, pinned])
    reject(desk, pinned)
    ;(await screen.findByRole('button', { name: `Dismiss: ${one}` })).click()
    await waitFor(() => expect(screen.queryByText(one)).toBeNull())
    desk.emit('connection/changed', { account: pinned.id, connection: { kind: 'online' } })
    await tick()
    reject(desk, pinned)
    await screen.findByText(one)
  })

  it('is one notice for several accounts, which leads to all of them', async () => {
    const desk = await opened([account, pinned, third])
    reject(desk, pinned)
    reject(desk, third)
    await screen.findByText('The services rejected the access tokens of 2 accounts')
    expect((await notices()).getByText(/Falcon Travel, Heron\./)).toBeTruthy()
    screen.getByRole('button', { name: 'Manage accounts' }).click()
    await screen.findByRole('heading', { level: 1, name: 'Settings' })
    expect(await screen.findAllByText('Rejected by the service. Enter a new one')).toHaveLength(2)
  })

  it('marks it in the menu of accounts and in “All accounts”, but no earlier account', async () => {
    const desk = await opened([account, pinned, earlier], '#/accounts', 'All accounts')
    desk.emit('connection/changed', { account: earlier.id, connection: { kind: 'no-token' } })
    reject(desk, pinned)
    const row = await screen.findByRole('row', { name: /Falcon Travel/ })
    await waitFor(() => expect(row.textContent).toContain('Token rejected'))
    screen.getByRole('button', { name: /^Account: / }).click()
    await screen.findByRole('menuitemradio', { name: /Falcon Travel.*Token rejected/ })
    expect(screen.getByRole('menuitemradio', { name: 'Kestrel Media, until 3 Nov 2026' })).toBeTruthy()
  })
})
