import { screen, waitFor } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import { FakeDesk, account, bad, failed, good, pending } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, type } from '#test/src-renderer/helpers/show.ts'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import { checkToken } from '#main/accounts/check-input.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { CallOutcome } from '#shared/bridge/calls.ts'

const firstRun = () => new FakeDesk({ accounts: [], active: null })
const button = (name: string) => screen.getByRole('button', { name })

async function fill(desk: FakeDesk, token = 'secret-token') {
  show(desk)
  type(await screen.findByLabelText('Account name'), 'Kestrel')
  type(screen.getByLabelText('Service address'), 'https://reports.kestrel.example')
  type(screen.getByLabelText('Access token'), token)
}

describe('the first run', () => {
  it('has the heading, three fields, two ways on, and no navigation yet', async () => {
    show(firstRun())
    expect(await screen.findByRole('heading', { name: 'Connect to your reporting service' })).toBeTruthy()
    expect(screen.getByLabelText('Access token').getAttribute('type')).toBe('password')
    expect(button('Connect')).toBeTruthy()
    expect(button('Explore sample data')).toBeTruthy()
    expect(screen.queryByRole('navigation', { name: 'Main' })).toBeNull()
  })

  it('restores a backup without an account, once the person agrees to what it holds', async () => {
    const desk = firstRun().answer('desk/choose-backup', () =>
      good({ accounts: ['Kestrel'], figures: { files: 3, bytes: 4_000_000 } }),
    )
    show(desk)
    ;(await screen.findByRole('button', { name: 'Restore a backup…' })).click()
    const dialog = await screen.findByRole('dialog', { name: 'Restore this backup?' })
    expect(dialog.textContent).toContain('It contains one account: Kestrel.')
    // Nothing is here that it would take the place of.
    expect(dialog.textContent).not.toContain('set aside')
    button('Restore and restart').click()
    await waitFor(() => expect(desk.argumentsOf('desk/restore-backup')).toHaveLength(1))
  })

  it('opens a file of raw rows beside the sample data', async () => {
    const file = 'file-1' as RowsFileId
    const desk = firstRun().answer('rows/choose', () => good([file]))
    show(desk)
    ;(await screen.findByRole('button', { name: 'Import a file…' })).click()
    await waitFor(() => expect(window.location.hash).toBe('#/rows/file-1'))
    expect(desk.argumentsOf('accounts/explore-sample')).toHaveLength(1)
  })

  it('connects, and shows the overview', async () => {
    const desk = firstRun()
    await fill(desk, '  secret-token\n')
    button('Connect').click()
    expect(await screen.findByRole('heading', { name: 'Overview', level: 1 })).toBeTruthy()
    expect(desk.argumentsOf('accounts/connect')).toEqual([
      {
        name: 'Kestrel',
        address: 'https://reports.kestrel.example',
        token: 'secret-token',
        storage: 'keychain',
        bodyEncoding: 'json',
      },
    ])
    expect(await screen.findByRole('button', { name: 'Take the tour' })).toBeTruthy()
  })

  it('has the token in no part of the document once it was sent', async () => {
    const desk = firstRun().answer('accounts/connect', () => failed('offline'))
    await fill(desk)
    button('Connect').click()
    await screen.findByRole('alert')
    const values = Array.from(document.querySelectorAll('input'), (input) => input.value)
    expect(values.join()).not.toContain('secret-token')
    expect(document.documentElement.outerHTML).not.toContain('secret-token')
  })

  it('sends once, however often the button is pressed', async () => {
    const answer = pending<CallOutcome<'accounts/connect'>>()
    const desk = firstRun().answer('accounts/connect', () => answer.promise)
    await fill(desk)
    button('Connect').click()
    await waitFor(() => button('Connecting…'))
    button('Connecting…').click()
    button('Explore sample data').click()
    expect(desk.argumentsOf('accounts/connect')).toHaveLength(1)
    expect(desk.argumentsOf('accounts/explore-sample')).toHaveLength(0)
    answer.resolve(failed('timed-out'))
    await screen.findByRole('alert')
    expect(button('Connect')).toBeTruthy()
  })

  it('does not ask for the token again because the address was wrong', async () => {
    const desk = firstRun().answer('accounts/connect', () => failed('invalid', { field: 'address' }))
    await fill(desk)
    button('Connect').click()
    await screen.findByText('Words about invalid.')
    button('Connect').click()
    await waitFor(() => expect(desk.argumentsOf('accounts/connect')).toHaveLength(2))
    expect(desk.argumentsOf('accounts/connect')[1]?.token).toBe('secret-token')
  })

  it('sends what was pasted without what the clipboard added', async () => {
    const desk = firstRun()
    await fill(desk, '\ufeffAuthorization: Bearer “secret\u200b-token”\u00a0')
    type(screen.getByLabelText('Service address'), '<https://reports.kestrel.example>\u2060.')
    type(screen.getByLabelText('Account name'), '\u200eKestrel\u3000 Ltd\u00a0')
    button('Connect').click()
    await waitFor(() =>
      expect(desk.argumentsOf('accounts/connect')).toMatchObject([
        { name: 'Kestrel Ltd', address: 'https://reports.kestrel.example', token: 'secret-token' },
      ]),
    )
  })

  it('names at its field the character that no token has', async () => {
    const desk = firstRun().answer('accounts/connect', ({ token, address }) => {
      try {
        checkToken(token, address)
        return failed('internal')
      } catch (error) {
        return bad(failureOf(error))
      }
    })
    await fill(desk, 'secret\u2011token')
    button('Connect').click()
    const words = await screen.findByText(/U\+2011, a hyphen that does not break/)
    const described = screen.getByLabelText('Access token').getAttribute('aria-describedby')?.split(' ')
    expect(described).toContain(words.closest('[id]')?.id)
    expect(document.documentElement.outerHTML).not.toContain('secret')
  })

  it('asks for a token anew when the service refused it', async () => {
    const desk = firstRun().answer('accounts/connect', () => failed('refused-token', { field: 'token' }))
    await fill(desk)
    button('Connect').click()
    await screen.findByText('Words about refused-token.')
    button('Connect').click()
    expect(await screen.findByText('Enter the access token.')).toBeTruthy()
    expect(desk.argumentsOf('accounts/connect')).toHaveLength(1)
  })

  it('quotes the service at the token that it refused, and unfolds how requests are written', async () => {
    const refusal = { field: 'token', said: 'Missing <b>token</b>.' }
    const desk = firstRun().answer('accounts/connect', () => failed('refused-token', refusal))
    await fill(desk)
    const choice = screen.getByLabelText('Request format').closest('details')
    expect(choice?.open).toBe(false)
    button('Connect').click()
    const words = await screen.findByText('Missing <b>token</b>.')
    const described = screen.getByLabelText('Access token').getAttribute('aria-describedby')?.split(' ')
    expect(described).toContain(words.closest('[id]')?.id)
    expect(choice?.open).toBe(true)
  })

  it.each([
    ['name', 'Account name'],
    ['address', 'Service address'],
    ['token', 'Access token'],
  ])('shows a failure about %s beside its field, and moves there', async (field, label) => {
    const desk = firstRun().answer('accounts/connect', () => failed('invalid', { field, message: 'Not so.' }))
    await fill(desk)
    button('Connect').click()
    const words = (await screen.findByText('Not so.')).parentElement
    const input = screen.getByLabelText(label)
    expect(input.getAttribute('aria-invalid')).toBe('true')
    expect(input.getAttribute('aria-describedby')?.split(' ')).toContain(words?.id)
    expect(document.activeElement).toBe(input)
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it.each([
    'offline',
    'timed-out',
    'no-right',
    'not-found',
    'malformed',
    'server-trouble',
    'disk',
    'internal',
  ] as const)('alerts of %s in the words of the main process', async (kind) => {
    const desk = firstRun().answer('accounts/connect', () => failed(kind, { said: '<b>their words</b>' }))
    await fill(desk)
    button('Connect').click()
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain(`Words about ${kind}.`)
    expect(alert.textContent).toContain('<b>their words</b>')
    expect(alert.querySelector('b')).toBeNull()
  })

  it('says which field is blank, without asking anybody', async () => {
    const desk = firstRun()
    show(desk)
    ;(await screen.findByRole('button', { name: 'Connect' })).click()
    expect(await screen.findByText('Enter a name for the account.')).toBeTruthy()
    expect(desk.argumentsOf('accounts/connect')).toHaveLength(0)
  })

  it('offers to keep the token for the session where there is no keychain', async () => {
    const desk = firstRun()
    desk.answer('accounts/connect', ({ storage }) =>
      storage === 'keychain' ? bad({ kind: 'no-keychain', message: 'None answers.' }) : failed('no-right'),
    )
    await fill(desk)
    button('Connect').click()
    ;(await screen.findByRole('button', { name: 'Keep for this session only' })).click()
    await screen.findByText('Words about no-right.')
    expect(desk.argumentsOf('accounts/connect').map(({ storage, token }) => [storage, token])).toEqual([
      ['keychain', 'secret-token'],
      ['session', 'secret-token'],
    ])
  })

  it('explores sample data', async () => {
    const desk = firstRun()
    show(desk)
    ;(await screen.findByRole('button', { name: 'Explore sample data' })).click()
    expect(await screen.findByRole('heading', { name: 'Overview', level: 1 })).toBeTruthy()
    expect(screen.getByText('Sample data')).toBeTruthy()
  })

  it('says so where the sample data cannot be made', async () => {
    const desk = firstRun().answer('accounts/explore-sample', () => failed('internal'))
    show(desk)
    ;(await screen.findByRole('button', { name: 'Explore sample data' })).click()
    expect((await screen.findByRole('alert')).textContent).toContain('Words about internal.')
  })
})

describe('adding an account', () => {
  it('has a way back, and leads to the overview', async () => {
    show(new FakeDesk(), '#/connect')
    expect((await screen.findByRole('link', { name: 'Back to Kestrel Media' })).getAttribute('href')).toBe(
      '#/overview',
    )
    ;(await screen.findByRole('button', { name: 'Explore sample data' })).click()
    expect(await screen.findByRole('heading', { name: 'Overview', level: 1 })).toBeTruthy()
    expect(window.location.hash).toBe('#/overview')
  })

  it('begins in the name, with the address of the account that there is', async () => {
    show(new FakeDesk(), '#/connect')
    const name = await screen.findByLabelText('Account name')
    expect(document.activeElement).toBe(name)
    expect(screen.getByLabelText<HTMLInputElement>('Service address').value).toBe(
      (account as LiveAccount).address,
    )
  })

  it('goes on for who began it while the account before it was still arriving', async () => {
    const state = pending<CallOutcome<'desk/state'>>()
    const desk = firstRun()
    show(desk)
    const explore = await screen.findByRole('button', { name: 'Explore sample data' })
    desk.answer('desk/state', () => state.promise)
    explore.click()
    await waitFor(() => expect(desk.argumentsOf('accounts/explore-sample')).toHaveLength(1))
    const { active, accounts } = desk.state
    desk.emit('accounts/changed', { active, accounts })
    await screen.findByRole('navigation', { name: 'Main' })
    window.location.hash = '#/connect'
    await screen.findByRole('link', { name: 'Back to Sample data' })
    state.resolve(good(desk.state))
    await screen.findByRole('button', { name: 'Take the tour' })
    expect(window.location.hash).toBe('#/connect')
  })
})
