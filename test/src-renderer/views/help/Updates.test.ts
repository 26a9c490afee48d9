import { fireEvent, screen, waitFor } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { UpdateState } from '#shared/app/state.ts'
import type { Instant } from '#shared/values/ids.ts'
import { FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

type On = Extract<UpdateState, { kind: 'with-feed' }>

const page = 'https://downloads.example/desk/'
const offer = { version: '9.1.0', date: 0 as Instant, notes: 'Faster.\nSafer.', page }
const plain: On = {
  ...{ kind: 'with-feed', daily: true, checking: false, checkedAt: null, offer: null, failure: null },
}

function about(state: UpdateState) {
  const desk = new FakeDesk()
    .answer('updates/read', () => good(state))
    .answer('updates/check', () => good(state))
    .answer('updates/daily', ({ on }) => good({ ...plain, daily: on }))
  show(desk, '#/help/about')
  return desk
}

const status = async () =>
  await screen.findByText((_, element) => element?.matches('section p[role="status"]') ?? false)

describe('updates in About', () => {
  it('come by hand where no feed is built in, and nothing is offered', async () => {
    about({ kind: 'without-feed' })
    expect(await screen.findByText('Update by hand, from where you got the app.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Check now' })).toBeNull()
    expect(screen.queryByRole('switch')).toBeNull()
  })

  it('say that nothing was checked, and check', async () => {
    const desk = about(plain)
    expect((await status()).textContent).toBe('Not checked for updates yet.')
    await fireEvent.click(screen.getByRole('button', { name: 'Check now' }))
    await waitFor(() => expect(desk.argumentsOf('updates/check')).toHaveLength(1))
  })

  it('name a newer version, what is new as plain text, and where to get it', async () => {
    const desk = about({ ...plain, offer: { ...offer, notes: '<b>Faster.</b>' } })
    expect((await status()).textContent).toMatch(/Version 9\.1\.0 is available/)
    expect(screen.getByText('<b>Faster.</b>')).toBeTruthy()
    expect(screen.getByText(page)).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Copy link' }))
    await waitFor(() => expect(desk.argumentsOf('desk/copy')).toEqual([{ text: page }]))
    expect(await screen.findByText('Link copied.')).toBeTruthy()
  })

  it('say when this was the newest version', async () => {
    about({ ...plain, checkedAt: Date.parse('2026-11-20T12:00:00Z') as Instant })
    expect((await status()).textContent).toMatch(/^Up to date, checked .*2026/)
  })

  it('check once at a time', async () => {
    const desk = about({ ...plain, checking: true, offer })
    const button = await screen.findByRole('button', { name: 'Check now' })
    expect((await status()).textContent).toBe('Checking for updates…')
    expect(button.getAttribute('aria-disabled')).toBe('true')
    await fireEvent.click(button)
    expect(desk.argumentsOf('updates/check')).toEqual([])
  })

  it('say why a check failed, beside what is known', async () => {
    const message = 'The list of updates was rejected. It is older than an earlier one. Check again later.'
    about({ ...plain, offer, failure: { kind: 'malformed', message } })
    expect((await screen.findByRole('alert')).textContent).toBe(message)
    expect(screen.getByText(page)).toBeTruthy()
  })

  it('are looked for once a day, or not', async () => {
    const desk = about(plain)
    await fireEvent.click(await screen.findByRole('switch', { name: /daily/ }))
    expect(desk.argumentsOf('updates/daily')).toEqual([{ on: false }])
    await waitFor(() => expect(screen.getByRole('switch').getAttribute('aria-checked')).toBe('false'))
  })
})
