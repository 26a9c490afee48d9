import { screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { proxyOrigin } from '#shared/accounts/account.ts'
import type { ProxyOrigin, ProxyState } from '#shared/accounts/account.ts'
import { FakeDesk, bad, failed, good, pending } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, standAt, type } from '#test/src-renderer/helpers/show.ts'

beforeAll(() => import('#renderer/components/frame/ProxySignIn.svelte'))
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const plain = proxyOrigin('http://proxy.example:3128') as ProxyOrigin
const encrypted = proxyOrigin('https://proxy.example') as ProxyOrigin
const asks: ProxyState = { origin: plain, kind: 'asks', refusedSaved: false }

const banner = (place = 'proxy.example:3128') =>
  screen.findByRole('region', { name: `The proxy ${place} asks for a name and password` })

/** Opens the dialog from the banner, with what to fill in. */
async function opened(desk: FakeDesk, place?: string) {
  show(desk, '#/settings')
  within(await banner(place))
    .getByRole('button', { name: 'Sign in to the proxy…' })
    .click()
  const dialog = await screen.findByRole('dialog', { name: 'Sign in to the proxy' })
  const fill = (name: string, password: string) => {
    type(within(dialog).getByLabelText('Name'), name)
    type(within(dialog).getByLabelText('Password'), password)
  }
  const send = () => within(dialog).getByRole('button', { name: 'Sign in' }).click()
  return { dialog, fill, send }
}

describe('a proxy that asks', () => {
  it('is named, and nothing opens by itself', async () => {
    const desk = new FakeDesk()
    show(desk, '#/settings')
    await screen.findByRole('heading', { level: 1, name: 'Settings' })
    desk.emit('proxies/changed', { proxies: [asks] })
    within(await banner())
      .getByRole('button', { name: 'Retry' })
      .click()
    await waitFor(() => expect(desk.argumentsOf('proxies/try-again')).toHaveLength(1))
    expect(screen.queryByRole('dialog')).toBeNull()
    desk.emit('proxies/changed', { proxies: [] })
    await waitFor(() => expect(screen.queryByText(/asks for a name and password/)).toBeNull())
  })

  it.each([
    [plain, 'proxy.example:3128', true],
    [encrypted, 'proxy.example:443', false],
  ])('says before anything is sent who could read it: %s', async (origin, place, readable) => {
    const desk = new FakeDesk({ proxies: [{ ...asks, origin }] })
    const { dialog } = await opened(desk, place)
    expect(within(dialog).getByText(place)).toBeTruthy()
    expect(within(dialog).queryByText(/http proxy. Others on this network can read/) !== null).toBe(readable)
  })

  it('is signed in to, and the field is empty from then on', async () => {
    const answer = pending<ReturnType<typeof good<{ stored: 'keychain' | 'session' }>>>()
    const desk = new FakeDesk({ proxies: [asks] }).answer('proxies/sign-in', () => answer.promise)
    const { dialog, fill, send } = await opened(desk)
    fill('maria', ' p4ss ')
    send()
    await waitFor(() =>
      expect(desk.argumentsOf('proxies/sign-in')).toEqual([
        { proxy: plain, name: 'maria', password: ' p4ss ', storage: 'keychain' },
      ]),
    )
    expect(within(dialog).getByLabelText<HTMLInputElement>('Password').value).toBe('')
    answer.resolve(good({ stored: 'keychain' }))
    await screen.findByText(/Signed in to the proxy proxy\.example:3128\. The password is in this computer's/)
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it.each([
    [true, /No keychain answers on this computer: the password is kept in memory/],
    [false, /The password is kept in memory until Traffic Desk quits/],
  ])('says that a password is kept for the session alone (keychain wished: %s)', async (wished, words) => {
    const desk = new FakeDesk({ proxies: [asks] }).answer('proxies/sign-in', () =>
      good({ stored: 'session' }),
    )
    const { dialog, fill, send } = await opened(desk)
    if (!wished) within(dialog).getByLabelText('Keep in the keychain').click()
    fill('maria', 'p4ss')
    send()
    await screen.findByText(words)
    expect(desk.argumentsOf('proxies/sign-in')[0]?.storage).toBe(wished ? 'keychain' : 'session')
  })

  it('says what is wrong, at the field that it is about', async () => {
    const wrong = { kind: 'invalid', message: 'The proxy does not accept them.', field: 'password' } as const
    const desk = new FakeDesk({ proxies: [asks] }).answer('proxies/sign-in', () => bad(wrong))
    const { dialog, fill, send } = await opened(desk)
    fill('maria', 'p4ss')
    send()
    expect((await within(dialog).findByRole('alert')).textContent).toBe(wrong.message)
    const field = within(dialog).getByLabelText('Password')
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(document.activeElement).toBe(field)
    desk.answer('proxies/sign-in', () => bad({ ...wrong, field: 'name' }))
    send()
    await waitFor(() => expect(document.activeElement).toBe(within(dialog).getByLabelText('Name')))
  })

  it('that has refused what it had says so; one of another kind offers no sign-in', async () => {
    const other: ProxyState = { origin: encrypted, kind: 'other-kind', kinds: 'NTLM' }
    show(new FakeDesk({ proxies: [{ ...asks, refusedSaved: true }, other] }), '#/settings')
    expect((await banner()).textContent).toMatch(/saved ones no longer work/)
    const second = within(await banner('proxy.example:443'))
    expect(second.getByText(/does not support its sign-in \(NTLM\)/)).toBeTruthy()
    expect(second.queryByRole('button', { name: 'Sign in to the proxy…' })).toBeNull()
  })
})

describe('the settings', () => {
  const stored: ProxyState = { origin: plain, kind: 'signed-in', stored: 'keychain' }

  it('list the proxies that were signed in to, and forget them', async () => {
    let list: readonly ProxyState[] = [stored, { ...asks, origin: encrypted }]
    const desk = new FakeDesk()
      .answer('proxies/list', () => good(list))
      .answer('proxies/forget', () => failed('no-keychain'))
    show(desk, '#/settings')
    await screen.findByRole('heading', { level: 2, name: 'Proxies' })
    expect(screen.queryByText('proxy.example:443')).toBeNull()
    const name = 'Forget the name and password for proxy.example:3128'
    screen.getByRole('button', { name }).click()
    await screen.findByText('Words about no-keychain.')
    desk.answer('proxies/forget', () => {
      list = []
      return good(null)
    })
    screen.getByRole('button', { name }).click()
    await waitFor(() => expect(screen.queryByRole('heading', { level: 2, name: 'Proxies' })).toBeNull())
    expect(desk.argumentsOf('proxies/forget')).toEqual([{ proxy: plain }, { proxy: plain }])
  })

  it('say nothing of proxies where there are none', async () => {
    show(new FakeDesk(), '#/settings')
    await screen.findByRole('heading', { level: 1, name: 'Settings' })
    expect(screen.queryByRole('heading', { level: 2, name: 'Proxies' })).toBeNull()
  })
})
