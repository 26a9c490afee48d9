import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Prefetch } from '#main/app/prefetch.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Views } from '#main/saved-views/views.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { dayAt } from '#shared/values/day.ts'
import { plainReport, tableQueryAt, writeAddress } from '#shared/views/address.ts'
import { account } from '#test/faults/moments/syncing.ts'
import { fake } from '#test/helpers/fake.ts'

const address = writeAddress(plainReport)
const asked = () => ({
  account: account.id,
  query: tableQueryAt(plainReport, dayAt(Date.now(), account.dayZone)),
  force: false,
})
// Nothing else of it is looked at.
const answerThat = (refreshing: boolean) => ({ provenance: { refreshing } }) as ReportAnswer
const answer = answerThat(false)

/** Over reports that answer so. */
function prefetchOf(ask: () => Promise<ReportAnswer>): Prefetch {
  return new Prefetch(
    fake<StateStore>('store', { run: () => Promise.reject(new TypeError('Nothing is read')) }),
    fake<Accounts>('accounts', { active: () => account.id, account: () => account }),
    fake<Views>('views', { startView: () => Promise.resolve(null), look: () => undefined }),
    fake<Reports>('reports', { ask }),
  )
}

describe('what a window asks first', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-20T12:00:00Z') }))
  afterEach(() => void vi.useRealTimers())

  it('is there with the state where it is answered at once, and is handed out once', async () => {
    const ask = vi.fn(() => Promise.resolve(answer))
    const first = prefetchOf(ask)
    expect(await first.answersOf(account, address)).toEqual([answer])
    expect(ask).toHaveBeenCalledTimes(1)
    await first.ask(asked())
    expect(ask).toHaveBeenCalledTimes(2)
  })

  it('is asked again by the view where newer figures are on their way', async () => {
    const ask = vi.fn(() => Promise.resolve(answerThat(true)))
    const first = prefetchOf(ask)
    expect(await first.answersOf(account, address)).toEqual([])
    await first.ask(asked())
    expect(ask).toHaveBeenCalledTimes(2)
  })

  it('is not waited for where it takes longer, nor asked twice', async () => {
    let tell: (answer: ReportAnswer) => void = () => undefined
    const ask = vi.fn(() => new Promise<ReportAnswer>((resolve) => (tell = resolve)))
    const first = prefetchOf(ask)
    const at = first.answersOf(account, address)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await at).toEqual([])
    const later = first.ask(asked())
    tell(answer)
    expect(await later).toBe(answer)
    expect(ask).toHaveBeenCalledTimes(1)
  })

  it('is forgotten where no view asks for it, and fails for the view alone', async () => {
    const ask = vi.fn(() => Promise.reject(new Error('gone')))
    const first = prefetchOf(ask)
    expect(await first.answersOf(account, address)).toEqual([])
    await expect(first.ask(asked())).rejects.toThrow('gone')
    await first.answersOf(account, address)
    await vi.advanceTimersByTimeAsync(60_000)
    await expect(first.ask(asked())).rejects.toThrow('gone')
    expect(ask).toHaveBeenCalledTimes(3)
  })

  it('is nothing that takes consent, or of a view without figures', async () => {
    const ask = vi.fn(() => Promise.resolve(answer))
    const first = prefetchOf(ask)
    expect(await first.answersOf(account, writeAddress({ ...plainReport, dimension: 'sources' }))).toEqual([])
    expect(await first.answersOf(account, '#/settings')).toEqual([])
    expect(ask).not.toHaveBeenCalled()
  })
})
