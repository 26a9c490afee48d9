import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { beforeAll, describe, expect, it } from 'vitest'
import type { LockState } from '#shared/app/state.ts'
import Lock from '#renderer/views/lock/Lock.svelte'
import { FakeDesk, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

// Dialogs load with their first use, which takes seconds where nothing is bundled.
beforeAll(() => import('#renderer/views/settings/Settings.svelte'))

const enter = (element: HTMLElement, value: string) => fireEvent.input(element, { target: { value } })

describe('the lock', () => {
  const shown = (desk: FakeDesk) => {
    render(Lock, { bridge: desk.bridge })
    return screen.getByLabelText<HTMLInputElement>('Passphrase')
  }

  it('has the focus in its field, says what was wrong with it, and keeps nothing in it', async () => {
    const desk = new FakeDesk().answer('lock/unlock', () => failed('invalid', { message: 'This is not it.' }))
    const field = shown(desk)
    expect(document.activeElement).toBe(field)
    await enter(field, 'something')
    screen.getByRole('button', { name: 'Unlock' }).click()
    expect((await screen.findByRole('alert')).textContent).toBe('This is not it.')
    expect(field.value).toBe('')
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(desk.called.filter(({ name }) => name === 'lock/unlock')).toEqual([
      { name: 'lock/unlock', argument: { passphrase: 'something' } },
    ])
  })

  it('asks for nothing but what the lock needs', async () => {
    const desk = new FakeDesk()
    shown(desk)
    screen.getByRole('button', { name: 'Sign in and remove the lock' }).click()
    await screen.findByText('Enter the access token.')
    expect(desk.called).toEqual([])
  })

  it('says by its field what is wrong with signing in', async () => {
    const desk = new FakeDesk().answer('lock/sign-in', () =>
      failed('invalid', { message: 'No account uses this address.', field: 'address' }),
    )
    shown(desk)
    await enter(screen.getByLabelText('Service address'), 'https://reports.example')
    await enter(screen.getByLabelText('Access token'), 'token')
    screen.getByRole('button', { name: 'Sign in and remove the lock' }).click()
    expect(await screen.findByText('No account uses this address.')).toBeTruthy()
  })
})

describe('the lock in the settings', () => {
  const off: LockState = { locked: false, after: null, waitsUntil: null }
  async function section(desk: FakeDesk) {
    show(desk, '#/settings')
    return within(await screen.findByRole('region', { name: 'Lock' }))
  }
  const checked = (there: Awaited<ReturnType<typeof section>>) =>
    there.getAllByRole<HTMLInputElement>('radio').find((each) => each.checked)?.value

  it('is off until a passphrase was entered twice', async () => {
    const asked: unknown[] = []
    const desk = new FakeDesk().answer('lock/switch-on', (given) => {
      asked.push(given)
      desk.emit('lock/changed', { ...off, after: given.after })
      return good(null)
    })
    const there = await section(desk)
    expect(checked(there)).toBe('off')
    there.getByRole('radio', { name: '15 minutes' }).click()
    const dialog = within(await screen.findByRole('dialog', { name: 'Turn on the lock' }))
    const press = () => dialog.getByRole('button', { name: 'Turn on' }).click()
    await enter(dialog.getByLabelText('Passphrase'), 'short')
    press()
    expect((await dialog.findByRole('alert')).textContent).toContain('8 characters')
    await enter(dialog.getByLabelText('Passphrase'), 'long enough')
    press()
    expect(await dialog.findByText("The passphrases don't match.")).toBeTruthy()
    await enter(dialog.getByLabelText('Repeat passphrase'), 'long enough')
    press()
    await expect.poll(() => asked).toEqual([{ after: 15, passphrase: 'long enough' }])
    await there.findByRole('button', { name: 'Lock now' })
    expect(checked(there)).toBe('15')
  })

  it('stays as it was where the person thinks better of it', async () => {
    const there = await section(new FakeDesk())
    there.getByRole('radio', { name: '5 minutes' }).click()
    within(await screen.findByRole('dialog'))
      .getByRole('button', { name: 'Cancel' })
      .click()
    await expect.poll(() => checked(there)).toBe('off')
  })

  it('is switched off by the passphrase, and changed without', async () => {
    const asked: unknown[] = []
    const desk = new FakeDesk()
      .answer('lock/state', () => good({ ...off, after: 30 }))
      .answer('lock/change', (given) => (asked.push(given), good(null)))
      .answer('lock/switch-off', (given) => (asked.push(given), failed('invalid', { message: 'Wrong.' })))
    const there = await section(desk)
    await expect.poll(() => checked(there)).toBe('30')
    there.getByRole('radio', { name: '60 minutes' }).click()
    await expect.poll(() => asked).toEqual([{ after: 60 }])
    there.getByRole('radio', { name: 'Off' }).click()
    const dialog = within(await screen.findByRole('dialog', { name: 'Turn off the lock' }))
    await enter(dialog.getByLabelText('Passphrase'), 'wrong')
    dialog.getByRole('button', { name: 'Turn off' }).click()
    expect((await dialog.findByRole('alert')).textContent).toBe('Wrong.')
    expect(asked).toEqual([{ after: 60 }, { passphrase: 'wrong' }])
  })
})
