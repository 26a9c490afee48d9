import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, describe, expect, it } from 'vitest'
import { account, bad, FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, type } from '#test/src-renderer/helpers/show.ts'

beforeAll(() => import('#renderer/views/settings/EditAccount.svelte'))

const words = 'This address belongs to another service. Enter its token.'

/** A desk whose account's token is for its present address alone, and its open form. */
async function editing() {
  const desk = new FakeDesk()
  desk.answer('accounts/edit', ({ newToken, ...changed }) =>
    changed.address === account.address || newToken
      ? good({ ...account, ...changed, id: changed.account })
      : bad({ kind: 'no-token', message: words, field: 'token' }),
  )
  show(desk, '#/settings')
  const accounts = within(await screen.findByRole('region', { name: 'Accounts' }))
  const card = within(await accounts.findByRole('article', { name: account.name }))
  await fireEvent.click(card.getByRole('button', { name: 'Edit account' }))
  const form = within(await screen.findByRole('dialog', { name: `Edit ${account.name}` }))
  const save = () => fireEvent.click(form.getByRole('button', { name: 'Save' }))
  return { desk, form, save }
}

describe('editing an account', () => {
  it('asks for the token of another service, says why, and keeps what was typed', async () => {
    const { desk, form, save } = await editing()
    expect(form.queryByLabelText('Access token for this address')).toBeNull()
    type(form.getByLabelText('Account name'), 'Kestrel East')
    type(form.getByLabelText('Service address'), 'https://elsewhere.example')
    await save()
    const field = await form.findByLabelText('Access token for this address')
    expect(form.getByText(words).getAttribute('role')).toBe('alert')
    expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe(words)
    await waitFor(() => expect(document.activeElement).toBe(field))
    expect(form.getByLabelText('Account name')).toHaveProperty('value', 'Kestrel East')
    expect(form.getByLabelText('Service address')).toHaveProperty('value', 'https://elsewhere.example')
    type(field, 'token-of-elsewhere')
    await save()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    const [first, second] = desk.argumentsOf('accounts/edit')
    expect(first).not.toHaveProperty('newToken')
    expect(second).toMatchObject({
      address: 'https://elsewhere.example',
      newToken: { token: 'token-of-elsewhere', storage: 'keychain' },
    })
  })

  it('needs no token for what is not another service', async () => {
    const { desk, form, save } = await editing()
    type(form.getByLabelText('Account name'), 'Kestrel East')
    await save()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(desk.argumentsOf('accounts/edit')).toEqual([
      expect.not.objectContaining({ newToken: expect.anything() }),
    ])
  })

  it('offers to hold the token for this session where there is no keychain', async () => {
    const { desk, form, save } = await editing()
    type(form.getByLabelText('Service address'), 'https://elsewhere.example')
    await save()
    type(await form.findByLabelText('Access token for this address'), 'token-of-elsewhere')
    desk.answer('accounts/edit', () => bad({ kind: 'no-keychain', message: 'No keychain.' }))
    await save()
    await fireEvent.click(await form.findByRole('button', { name: 'Keep for this session only' }))
    expect(desk.argumentsOf('accounts/edit').at(-1)).toMatchObject({
      newToken: { token: 'token-of-elsewhere', storage: 'session' },
    })
  })
})
