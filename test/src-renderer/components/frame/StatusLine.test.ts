import { screen, waitFor } from '@testing-library/svelte'
import { beforeEach, expect, it } from 'vitest'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import type { Instant } from '#shared/values/ids.ts'
import { account, FakeDesk, pending } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const until = Date.parse('2026-11-20T10:00:20Z') as Instant
const exact = (time: number) => new Intl.DateTimeFormat('en', { timeStyle: 'medium' }).format(time)
const resting = (time: Instant) => ({ kind: 'resting', until: time }) as const

/** What is announced politely of a rest, beside the status itself. */
const announced = () =>
  [...document.querySelectorAll('[aria-live=polite]')]
    .map(({ textContent }) => textContent.trim())
    .filter((words) => words.includes('rest'))

it('says beside saved figures that the service asks for rest and when the next try is; a screen reader hears it once', async () => {
  const desk = new FakeDesk()
  show(desk, '#/reports/script/browsers?period=yesterday')
  const status = await screen.findByRole('status')
  await waitFor(() => expect(status.textContent).toMatch(/As of/))
  desk.emit('connection/changed', { account: account.id, connection: resting(until) })
  await waitFor(() =>
    expect(status.textContent).toMatch(/^As of .+\u00a0· Service asks for rest · next try at/),
  )
  expect(status.textContent?.replaceAll(/\s/g, ' ')).toContain(exact(until).replaceAll(/\s/g, ' '))
  expect(status.querySelector('[aria-hidden=true]')?.textContent).toMatch(/next try/)
  expect(announced()).toEqual(['Service asks for rest'])
  const later = (until + 40_000) as Instant
  desk.emit('connection/changed', { account: account.id, connection: resting(later) })
  await waitFor(() =>
    expect(status.textContent?.replaceAll(/\s/g, ' ')).toContain(exact(later).replaceAll(/\s/g, ' ')),
  )
  expect(announced()).toEqual(['Service asks for rest'])
  desk.emit('connection/changed', { account: account.id, connection: { kind: 'online' } })
  await waitFor(() => expect(status.textContent).not.toMatch(/rest/))
  expect(announced()).toEqual([])
})

it('says at once to who waits for figures what they wait for, and lets them stop', async () => {
  const answer = pending<CallOutcome<'reports/ask'>>()
  const desk = new FakeDesk({ connection: resting(until) }).answer('reports/ask', () => answer.promise)
  show(desk, '#/reports/script/browsers?period=yesterday')
  const words = await screen.findByText(/^Service asks for rest · next try at/, { selector: '.waiting p' })
  const status = screen.getByRole('status')
  expect(status.textContent).toMatch(/^Loading….*Service asks for rest · next try at/s)
  words.parentElement?.querySelector('button')?.click()
  await screen.findByRole('heading', { name: 'Cancelled' })
})
