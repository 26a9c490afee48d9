import { expect, it } from 'vitest'
import { usualPaper } from '#shared/exports/paper.ts'
import { day } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { TodayAccount } from '#shared/watch/alerts.ts'
import { print } from '#renderer/views/print/print.ts'
import { FakeDesk, account, good, otherAccount } from '#test/src-renderer/helpers/fake-desk.ts'
import { finding } from '#test/src-renderer/helpers/watched.ts'

const item: TodayAccount = {
  ...{ account: account.id, day: day('2026-11-19'), hasAlerts: true, standing: [finding(1)], ended: [] },
  ...{ restated: [], inProgress: 0, expiring: [] },
  figures: [
    {
      ...{ family: 'script', requests: 120_000, bad: 14_880, rate: 12.4, soFar: true },
      ...{ usualRate: { usual: 5.1, low: 4.2, high: 6.3 }, usualRequests: null },
    },
  ],
}

async function printToday(accounts: readonly TodayAccount[], of: Day | null = null) {
  Object.defineProperty(document, 'fonts', { value: { ready: Promise.resolve() }, configurable: true })
  const fetchedAt = Date.UTC(2026, 10, 20, 5) as Instant
  const desk = new FakeDesk({ accounts: [account, otherAccount] })
    .answer('today/read', () => good({ accounts }))
    .answer('reports/paired', () =>
      good({ compared: { days: 1, total: 1 }, sides: null, fetchedAt, doubt: null }),
    )
  const target = document.createElement('div')
  const address = { account: account.id, view: '#/today', paper: usualPaper, madeAt: null, day: of }
  return { outcome: await print(target, desk.bridge, address), target }
}

it('draws yesterday of the account alone, with the age of its figures', async () => {
  const other = { ...item, account: otherAccount.id, day: day('2026-11-18') }
  const { outcome, target } = await printToday([other, item])
  expect(outcome).toEqual({
    kind: 'printed',
    header: 'Kestrel Media · Today',
    footer: expect.stringMatching(/Nov 19, 2026 · UTC · Updated .*5:00.*UTC/),
  })
  expect(target.textContent).toMatch(/Script, so far.*12\.4%.*bad, worse than usual.*120,000/s)
  expect(target.textContent).toMatch(/Open findings.*source-1.*Bad rate 12\.4%, usually 5\.1%/s)
  expect(target.textContent).not.toContain('Nov 18, 2026 ·')
})

it('fails without figures of yesterday', async () => {
  const { outcome } = await printToday([{ ...item, figures: [] }])
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'invalid' } })
})

it('fails if yesterday is not the day that was asked for any more', async () => {
  const { outcome } = await printToday([item], day('2026-11-18'))
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'invalid' } })
  expect((await printToday([item], item.day)).outcome).toMatchObject({ kind: 'printed' })
})
