import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { answerKey } from '#shared/reports/query.ts'
import type { PairedAnswer } from '#shared/reports/answer.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import {
  account,
  calmState,
  failed,
  FakeDesk,
  good,
  otherAccount,
} from '#test/src-renderer/helpers/fake-desk.ts'
import { answerFor } from '#test/src-renderer/helpers/figures.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

const third = { ...account, id: '5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9a03' as AccountId, name: 'Heron Clicks' }

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const sideOf = (suspect: number) => ({
  total: { nonsuspect: 1000 - suspect, suspect, mobile: 0 },
})
const nothing: PairedAnswer = { compared: { days: 0, total: 7 }, sides: null, fetchedAt: null, doubt: null }

/** Of 1,000 direct requests so many are suspect now, and were before; nothing is saved of Script, nor of the third account. */
const suspects = new Map([
  [account.id, [20, 20]],
  [otherAccount.id, [80, 50]],
])

function threeAccounts(): FakeDesk {
  const desk = new FakeDesk({ ...calmState, accounts: [account, otherAccount, third] })
  return desk.answer('reports/paired', ({ account: id, query, before }) => {
    const [now = 0, then = 0] = suspects.get(id) ?? []
    if (query.family === 'script' || !suspects.has(id)) return good(nothing)
    const itself = before.start === query.range.start
    return good({
      compared: { days: itself ? 7 : 5, total: 7 },
      sides: { now: sideOf(now), before: sideOf(itself ? now : then) },
      fetchedAt: Date.parse('2026-11-20T06:42:00Z') as Instant,
      doubt: id === otherAccount.id && !itself ? 'scope' : null,
    })
  })
}

const rowOf = (name: string) => screen.findByRole('row', { name: new RegExp(`^${name}`) })

describe('all accounts', () => {
  it('stand with the worst first, with change, and with what is missing said, from saved days alone', async () => {
    const desk = threeAccounts()
    show(desk, '#/accounts?compare=period-before')
    const row = await rowOf('Sample data')
    await within(row).findByText('8.0%')
    within(row).getByText('+3.0 points')
    within(row).getByText('Script: 0 of 7 days')
    within(row).getByText(/^Doubtful scope: figures may include or lack instances/)
    within(row).getByText('Change over 5 of 7 days')
    within(await rowOf('Heron Clicks')).getByText('Nothing saved for these 7 days')
    const names = screen.getAllByRole('rowheader').map((each) => each.textContent.trim())
    expect(names).toEqual(['Sample data', 'Kestrel Media', 'Heron Clicks'])
    expect(desk.argumentsOf('reports/ask')).toEqual([])
  })

  it('are read again once what came is confirmed', async () => {
    const desk = threeAccounts()
    show(desk, '#/accounts?compare=period-before')
    const row = await rowOf('Heron Clicks')
    await within(row).findByText('Nothing saved for these 7 days')
    suspects.set(third.id, [50, 50])
    onTestFinished(() => void suspects.delete(third.id))
    desk.emit('account/confirmed', { account: third.id })
    await within(row).findByText('5.0%')
  })

  it('are dimmed while those of other days are read, however long that takes', async () => {
    const desk = threeAccounts()
    show(desk, '#/accounts')
    await within(await rowOf('Sample data')).findByText('8.0%')
    desk.answer('reports/paired', () => new Promise(() => undefined))
    window.location.hash = '#/accounts?period=yesterday'
    await screen.findByText(/Nov 19, 2026/)
    for (const row of screen.getAllByRole('row').slice(1)) {
      expect(row.getAttribute('aria-busy')).toBe('true')
      expect(row.classList.contains('dimmed') || within(row).queryByText(/%/) === null).toBe(true)
    }
  })

  it('are asked of their services by hand, and say which of them did not answer', async () => {
    const desk = threeAccounts()
    const answers = desk.answer('reports/ask', ({ account: id }) =>
      id === third.id ? failed('offline') : failed('refused-token'),
    )
    show(answers, '#/accounts?compare=period-before')
    await within(await rowOf('Sample data')).findByText('8.0%')
    await fireEvent.click(screen.getByRole('button', { name: 'Refresh all' }))
    await within(await rowOf('Heron Clicks')).findByText('Words about offline.')
    await within(await rowOf('Kestrel Media')).findByText('Words about refused-token.')
    expect(desk.argumentsOf('reports/ask').every(({ force }) => force)).toBe(true)
  })

  it('say so too where newer figures than the saved ones could not be had', async () => {
    const desk = threeAccounts()
    desk.answer('reports/ask', ({ query, force }) => {
      const answer = answerFor(query)
      const failure = force ? null : { kind: 'offline' as const, message: 'Nobody answers.' }
      return good({ ...answer, provenance: { ...answer.provenance, refreshing: force, failure } })
    })
    show(desk, '#/accounts?compare=period-before')
    await within(await rowOf('Sample data')).findByText('8.0%')
    await fireEvent.click(screen.getByRole('button', { name: 'Refresh all' }))
    await waitFor(() => expect(desk.argumentsOf('reports/ask').length).toBe(12))
    const [first] = desk.argumentsOf('reports/ask')
    if (!first) throw new Error('Nothing was asked')
    desk.emit('reports/changed', { account: first.account, key: answerKey(first.query) })
    await screen.findByText('Nobody answers.')
  })

  it('lead to the overview of an account over the same days', async () => {
    const desk = threeAccounts()
    show(desk, '#/accounts?period=yesterday&compare=period-before')
    await fireEvent.click(await screen.findByRole('link', { name: 'Sample data' }))
    await waitFor(() =>
      expect(window.location.hash).toBe('#/overview?period=yesterday&compare=period-before'),
    )
    expect(desk.argumentsOf('accounts/activate')).toEqual([{ account: otherAccount.id }])
  })

  it('are led to from the menu of accounts where there are several', async () => {
    show(threeAccounts(), '#/overview?period=yesterday')
    await fireEvent.click(await screen.findByRole('button', { name: 'Account: Kestrel Media' }))
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'All accounts' }))
    await screen.findByRole('heading', { name: 'All accounts' })
    expect(window.location.hash).toBe('#/accounts?period=yesterday&compare=period-before')
  })
})
