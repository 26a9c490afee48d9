import { plainOverview } from '#shared/views/address.ts'
import { noteView } from '#shared/watch/notes.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { TodayAccount, TodayFigures } from '#shared/watch/alerts.ts'
import { FakeDesk, account, good, otherAccount } from '../helpers/fake-desk.ts'
import { deskWithNotes, note } from '../helpers/noted.ts'
import { restatedDesk, restatement } from '../helpers/restatements.ts'
import { alert, deskWithFindings, finding, preview } from '../helpers/watched.ts'

const accounts = [account, otherAccount]

const named = (text: string) => ({ row: { key: `text ${text}`, text } })

const findings = [
  finding(1, named('newsletter.example')),
  finding(2, { ...named('a publisher with a long name, of a client with a long name.example'), z: 12 }),
  finding(3, { row: null, rows: ['text a', 'text b', 'text c'], state: 'so-far', z: null }),
  finding(4, { ...named('popunder'), seen: true, state: 'withdrawn', settled: 5.3 }),
  finding(5, {
    ...named('video'),
    seen: true,
    state: 'over',
    to: day('2026-11-20'),
    account: otherAccount.id,
  }),
  finding(6, {
    ...{ ...named('mail'), seen: true, isStopped: true, measure: 'requests', condition: 'stopped' },
    ...{ now: 0, usual: 15_200, z: null, account: otherAccount.id },
  }),
  finding(7, { ...named('search'), seen: true, dismissed: 'known' }),
  finding(8, { ...named('social'), seen: true, state: 'usual', to: day('2026-11-12') }),
]

const script: TodayFigures = {
  ...{ family: 'script', requests: 1_203_418, bad: 149_223, rate: 12.4, soFar: true },
  usualRate: { usual: 5.1, low: 4.2, high: 6.3 },
  usualRequests: { usual: 1_180_000, low: 900_000, high: 1_500_000 },
}
const direct: TodayFigures = {
  ...{ family: 'direct', requests: 80_411, bad: 2_100, rate: 2.6, soFar: false },
  usualRate: { usual: 3.9, low: 3.1, high: 4.8 },
  usualRequests: { usual: 120_000, low: 95_000, high: 150_000 },
}
const item = (changes: Partial<TodayAccount>): TodayAccount => ({
  ...{ account: account.id, day: day('2026-11-19'), figures: [script, direct], hasAlerts: true },
  ...{ restated: [], inProgress: 0, expiring: [] },
  ...{ standing: findings.slice(0, 3), ended: findings.slice(3, 4) },
  ...changes,
})

/** A rate that swings, rises at the end, and its band from the fifteenth day on. */
const swinging = Array.from({ length: 90 }, (_, index) => ({
  ...{ day: addDays(day('2026-08-22'), index) },
  value: 5 + Math.sin(index * 1.7) * 0.6 + (index % 7 > 4 ? 0.8 : 0) + (index > 87 ? 6.5 : 0),
  ...(index < 14
    ? { usual: null, low: null, high: null }
    : { usual: 5.1, low: 3.9 + (index % 7 > 4 ? 0.8 : 0), high: 6.4 + (index % 7 > 4 ? 0.8 : 0) }),
}))

const watched = () => {
  const { desk } = deskWithFindings(
    findings,
    [alert(1), alert(2, { condition: { kind: 'above', value: 20 }, row: 'text news', leastRequests: 500 })],
    new FakeDesk({ accounts }),
  )
  return desk
    .answer('alerts/preview', () =>
      good({
        ...{ ...preview, band: swinging, told: 9 },
        tellings: [19, 8, 2].flatMap((number) =>
          preview.tellings.map((telling) => ({ ...telling, day: addDays(day('2026-11-01'), number) })),
        ),
      }),
    )
    .answer('today/read', () =>
      good({
        accounts: [
          item({}),
          item({
            account: otherAccount.id,
            figures: [{ ...script, rate: 5.2, soFar: false }],
            standing: [],
            ended: [],
          }),
        ],
      }),
    )
}

/** Ten accounts, as many as fit on one printed page. */
const many = () => {
  const named = Array.from({ length: 10 }, (_, nth) => {
    const other = `00000000-0000-4000-8000-0000000001${String(nth).padStart(2, '0')}` as AccountId
    const id = nth === 0 ? account.id : other
    return {
      ...account,
      id,
      name: nth === 3 ? 'A client with a rather long name, of Berlin' : `Client ${nth}`,
    }
  })
  const items = named.map(({ id }, nth) => ({
    ...item({ account: id, figures: nth % 2 === 0 ? [script, direct] : [script] }),
    ended: findings.slice(3, nth % 3 === 0 ? 4 : 3),
    ...{ standing: findings.slice(0, nth % 4), inProgress: nth % 2 },
    restated: nth % 3 === 1 ? [day('2026-11-16'), day('2026-11-17'), day('2026-11-18')] : [],
    expiring: [
      {
        ...{ report: `r${nth}` as RawReportId, name: `Week 46 of client ${nth}` },
        expires: new Date(Date.now() + 86_400_000).toISOString(),
      },
    ],
  }))
  const desk = deskWithFindings([], [], new FakeDesk({ accounts: named })).desk
  return desk
    .answer('today/look', () => good(Date.UTC(2026, 10, 18) as Instant))
    .answer('today/read', () => good({ accounts: items }))
}

/** Charts with notes, findings and restated days. */
const marked = () => {
  const total = { view: noteView(plainOverview), row: null, measure: 'bad-rate' } as const
  const found = [
    finding(1, total),
    finding(2, { ...total, from: day('2026-11-14'), state: 'over', to: day('2026-11-16') }),
    finding(3, { ...total, family: 'direct', from: day('2026-11-15') }),
  ]
  const notes = [
    note(1, '2026-11-14', { text: 'New landing page' }),
    note(2, '2026-11-16', { text: 'Partner paused', leavesOut: true }, '2026-11-17'),
  ]
  const restatedDays = { days: 1, latest: restatement.afterFetchedAt }
  return deskWithNotes(notes, deskWithFindings(found, [], restatedDesk(restatedDays)).desk).desk
}

/** With `#/today`, `#/findings`, `#/findings/alerts`; `marked` with `#/overview`. */
export const watchStates: Readonly<Record<string, () => FakeDesk>> = {
  watched,
  many,
  marked,
  unwatched: () =>
    deskWithFindings([], []).desk.answer('today/read', () =>
      good({ accounts: [item({ figures: [], standing: [], ended: [], hasAlerts: false })] }),
    ),
}
