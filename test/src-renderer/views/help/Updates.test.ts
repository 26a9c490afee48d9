import { fireEvent, screen, waitFor } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { JobId } from '#shared/app/jobs.ts'
import type { UpdateStage, UpdateState, UpdateStep } from '#shared/app/state.ts'
import type { Instant } from '#shared/values/ids.ts'
import { FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

type On = Extract<UpdateState, { kind: 'with-feed' }>

const offer = { version: '9.1.0', date: 0 as Instant, notes: 'Faster.\nSafer.', size: 150_000_000 }
const plain: On = {
  ...{ kind: 'with-feed', daily: true, installs: 'by-installer', checkedAt: null },
  ...{ stage: { kind: 'none' }, failure: null },
}

function about(state: UpdateState) {
  const desk = new FakeDesk()
    .answer('updates/read', () => good(state))
    .answer('updates/do', () => good(state))
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

  it.each<[UpdateStage, RegExp, string, UpdateStep]>([
    [{ kind: 'none' }, /^Not checked for updates yet/, 'Check now', 'look'],
    [{ kind: 'there', offer }, /Version 9\.1\.0 is available.*150 MB/, 'Download', 'download'],
    [{ kind: 'downloading', offer }, /Downloading version 9\.1\.0…/, 'Cancel', 'cancel'],
    [{ kind: 'ready', offer }, /9\.1\.0 is downloaded and checked/, 'Install', 'install'],
    [{ kind: 'opened', offer }, /The installer has version 9\.1\.0/, 'Open the installer again', 'install'],
    [{ kind: 'replaced', offer }, /9\.1\.0 is installed/, 'Restart now', 'restart'],
  ])('say %j, and what comes next', async (stage, words, name, step) => {
    const desk = about({ ...plain, stage })
    expect((await status()).textContent).toMatch(words)
    await fireEvent.click(screen.getByRole('button', { name }))
    await waitFor(() => expect(desk.argumentsOf('updates/do')).toEqual([{ step }]))
  })

  it('say when this was the newest version', async () => {
    about({ ...plain, checkedAt: Date.parse('2026-11-20T12:00:00Z') as Instant })
    expect((await status()).textContent).toMatch(/^Up to date, checked .*2026/)
  })

  it('take one step at a time', async () => {
    const desk = about({ ...plain, stage: { kind: 'looking' } })
    const button = await screen.findByRole('button', { name: 'Check now' })
    expect(button.getAttribute('aria-disabled')).toBe('true')
    await fireEvent.click(button)
    expect(desk.argumentsOf('updates/do')).toEqual([])
  })

  it('show how far a download is, keep the button, and what is new as plain text', async () => {
    const desk = about({ ...plain, stage: { kind: 'there', offer: { ...offer, notes: '<b>Faster.</b>' } } })
    expect(await screen.findByText('<b>Faster.</b>')).toBeTruthy()
    const button = screen.getByRole('button', { name: 'Download' })
    button.focus()
    desk.emit('updates/changed', { ...plain, stage: { kind: 'downloading', offer } })
    const state = { kind: 'running', done: 75_000_000, total: 150_000_000, unit: 'bytes' } as const
    const job = { account: null, subject: null, title: 'Version 9.1.0', endedAt: null, seen: false }
    desk.emit('jobs/changed', { job: { id: 'a' as JobId, kind: 'update', ...job, state } })
    const bar = await screen.findByRole('progressbar', { name: 'Download of version 9.1.0' })
    expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuetext')]).toEqual([
      ...['50', 'Downloading version 9.1.0: 75 MB of 150 MB'],
    ])
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }))
  })

  it('say why a step failed, beside what can be done still', async () => {
    const message = 'The list of updates was rejected. It is older than an earlier one. Check again later.'
    about({ ...plain, stage: { kind: 'there', offer }, failure: { kind: 'malformed', message } })
    expect((await screen.findByRole('alert')).textContent).toBe(message)
    expect(screen.getByRole('button', { name: 'Download' })).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Check again' })).toBeTruthy()
  })

  it('are looked for once a day, or not', async () => {
    const desk = about(plain)
    await fireEvent.click(await screen.findByRole('switch', { name: /daily/ }))
    expect(desk.argumentsOf('updates/daily')).toEqual([{ on: false }])
    await waitFor(() => expect(screen.getByRole('switch').getAttribute('aria-checked')).toBe('false'))
  })
})
