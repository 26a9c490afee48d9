import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Job, JobId } from '#shared/app/jobs.ts'
import { day } from '#shared/values/day.ts'
import type { Download, DownloadId } from '#shared/downloads/download.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import type { TodayAccount, TodayFigures } from '#shared/watch/alerts.ts'
import {
  FakeDesk,
  account,
  calmState,
  failed,
  good,
  otherAccount,
} from '#test/src-renderer/helpers/fake-desk.ts'
import { deskWithSchedules, made, run, schedule } from '#test/src-renderer/helpers/scheduled.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'
import { finding } from '#test/src-renderer/helpers/watched.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const figures: TodayFigures = {
  ...{ family: 'script', requests: 120_000, bad: 14_880, rate: 12.4, soFar: true },
  usualRate: { usual: 5.1, low: 4.2, high: 6.3 },
  usualRequests: { usual: 118_000, low: 90_000, high: 150_000 },
}
const item: TodayAccount = {
  ...{ account: account.id, day: day('2026-11-19'), figures: [figures], hasAlerts: true },
  ...{ restated: [], inProgress: 0, expiring: [] },
  ...{ standing: [finding(1)], ended: [finding(2, { state: 'over', to: day('2026-11-19') })] },
}
const opened = (accounts: readonly TodayAccount[], desk = new FakeDesk()) => {
  desk.answer('today/read', () => good({ accounts }))
  show(desk, '#/today')
  return desk
}

describe('Today', () => {
  it('says of yesterday in words whether it was as usual, and what stands and ended', async () => {
    opened([item])
    const section = within(await screen.findByRole('region', { name: 'Yesterday' }))
    expect(section.getByText('12.4%', { selector: '.rate' })).toBeTruthy()
    expect(section.getByText('worse than usual')).toBeTruthy()
    expect(section.getByText('Usually 5.1% (4.2% to 6.3%)')).toBeTruthy()
    expect(section.getByText('as usual')).toBeTruthy()
    expect(section.getByText('So far')).toBeTruthy()
    const list = (name: RegExp) => within(section.getByRole('list', { name })).getAllByRole('link')
    expect(list(/Open findings/)[0]?.getAttribute('href')).toBe(`#/findings/${finding(1).id}`)
    expect(list(/ended/)[0]?.textContent).toContain('Ended')
    expect(screen.getByRole('heading', { level: 1, name: 'Today' })).toBeTruthy()
  })

  it('has all accounts, and opens a day in its account', async () => {
    const desk = new FakeDesk({ accounts: [account, otherAccount] })
    const better = { ...figures, rate: 3, soFar: false }
    opened([item, { ...item, account: otherAccount.id, figures: [better], standing: [], ended: [] }], desk)
    const section = within(await screen.findByRole('region', { name: otherAccount.name }))
    expect(section.getByText('better than usual')).toBeTruthy()
    expect(section.getByText('No open findings.')).toBeTruthy()
    await fireEvent.click(section.getByRole('link', { name: /Nov 19/ }))
    await waitFor(() => expect(window.location.hash).toBe('#/overview?start=2026-11-19&end=2026-11-19'))
    expect(desk.argumentsOf('accounts/activate')).toEqual([{ account: otherAccount.id }])
  })

  it('says where it has no figures, too few days or no alerts', async () => {
    const connections = { ...calmState.connections, [account.id]: { kind: 'offline' } as const }
    const desk = new FakeDesk({ connections })
    opened([{ ...item, figures: [], standing: [], ended: [], hasAlerts: false }], desk)
    await screen.findByText('No figures are saved for this day yet.')
    expect(within(screen.getByRole('main')).getByText('Offline')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Turn on alerts' }).getAttribute('href')).toBe(
      '#/findings/alerts',
    )
    desk.answer('today/read', () =>
      good({ accounts: [{ ...item, figures: [{ ...figures, usualRate: null, usualRequests: null }] }] }),
    )
    desk.emit('findings/changed', { account: account.id })
    expect((await screen.findAllByText('Too few saved days for a usual range.')).length).toBe(2)
  })

  it('names schedules that are due today, and what became of them since yesterday', async () => {
    const { desk } = deskWithSchedules([
      schedule(1, { nextAt: Date.UTC(2026, 10, 20, 15) as Instant, runs: [made(19), made(16)] }),
      schedule(2, { runs: [run(16, { kind: 'missed' })] }),
      schedule(3, { rule: { ...schedule(3).rule, zone: 'Mars/Olympus' }, nextAt: null }),
    ])
    opened([item], desk)
    const block = within(await screen.findByRole('region', { name: 'Schedules' }))
    const [first, unknown, ...others] = block.getAllByRole('listitem')
    expect(unknown?.textContent).toMatch(/Weekly 3.*This computer doesn't know this time zone/s)
    expect(first?.textContent).toMatch(/Weekly 1.*Due .*Created: Kestrel Media View 1 2026-11-19\.pdf/s)
    expect(first?.textContent).not.toContain('2026-11-16')
    expect(others).toEqual([])
    await fireEvent.click(block.getByRole('link', { name: 'Weekly 1' }))
    await screen.findByRole('heading', { level: 1, name: 'Schedules' })
  })

  it('says which days were restated since the look before, and opens them', async () => {
    const seen = Date.UTC(2026, 10, 19, 8) as Instant
    const desk = new FakeDesk().answer('today/look', () => good(seen))
    const restated = [day('2026-11-16'), day('2026-11-17'), day('2026-11-19')]
    opened([{ ...item, restated }], desk)
    const link = await screen.findByRole('link', {
      name: /^Restated since you last opened Today: Nov 16\s–\s17, 2026, Nov 19, 2026$/,
    })
    expect(link.getAttribute('href')).toBe('#/overview?start=2026-11-16&end=2026-11-19')
    expect(desk.argumentsOf('today/read')[0]).toEqual({ since: seen })
    expect(desk.argumentsOf('today/look')).toHaveLength(1)
    desk.emit('findings/changed', { account: account.id })
    await waitFor(() => expect(desk.argumentsOf('today/read').length).toBeGreaterThan(1))
    expect(desk.argumentsOf('today/look')).toHaveLength(1)
  })

  it('is read where nobody knows of a look before', async () => {
    const desk = new FakeDesk().answer('today/look', () => failed('disk'))
    opened([item], desk)
    await screen.findByRole('region', { name: 'Yesterday' })
    expect(desk.argumentsOf('today/read')[0]).toEqual({ since: null })
  })

  it('counts raw reports that wait, and names archives that expire before they are saved', async () => {
    const reportOf = (number: number) => `r${number}` as RawReportId
    const expiring = [1, 2, 3].map((number) => ({
      ...{ report: reportOf(number), name: `Report ${number}`, expires: `2026-11-2${number} 12:00:00` },
    }))
    const download = (number: number, state: Download['state']): Download => ({
      ...{ id: `d${number}` as DownloadId, account: account.id, report: reportOf(number), state },
      ...{ name: `Report ${number}`, file: 'x.zip', host: null, size: null, expires: '2026-11-21 12:00:00' },
    })
    const desk = new FakeDesk().answer('downloads/list', () =>
      good([
        download(2, { kind: 'saved', time: 0 as Instant }),
        download(1, { kind: 'waiting' }),
        download(9, { kind: 'waiting' }),
      ]),
    )
    const state: Job['state'] = { kind: 'paused', failure: null }
    const job = {
      id: 'a' as JobId,
      kind: 'download',
      account: account.id,
      subject: 'd1',
      title: 'Report 1',
    } as const
    desk.answer('jobs/list', () => good([{ ...job, state, endedAt: null, seen: false }]))
    opened([{ ...item, inProgress: 2, expiring }], desk)
    expect(await screen.findByText('2 raw reports are in progress')).toBeTruthy()
    const waiting = within(await screen.findByRole('region', { name: 'Waiting' }))
    expect(waiting.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
      'Report 1',
      'Report 9',
    ])
    expect((await waiting.findByText('Download of Report 1')).textContent).toMatch(/ Paused$/)
    await fireEvent.click(waiting.getByRole('link', { name: 'Report 1' }))
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/raw/))
  })

  it('says that it cannot be read', async () => {
    show(
      new FakeDesk().answer('today/read', () => failed('internal')),
      '#/today',
    )
    await screen.findByRole('heading', { name: 'Something went wrong inside Traffic Desk' })
  })
})
