import { describe, expect, it } from 'vitest'
import { trayPicture } from '#main/shell/tray.ts'
import type { TrayFacts } from '#main/shell/tray.ts'
import type { Download, DownloadId, DownloadState } from '#shared/downloads/download.ts'
import type { RawRequestId } from '#shared/raw/requests.ts'
import type { RunningReport } from '#shared/raw/list.ts'
import type { FindingId } from '#shared/watch/alerts.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'

const account = '00000000-0000-4000-8000-000000000001' as AccountId
const minute = 60_000

const running = (name: string, since: number): RunningReport => ({
  account,
  report: name as RawReportId,
  name,
  since: since as Instant,
})

const download = (state: DownloadState): Download => ({
  id: '00000000-0000-4000-8000-000000000009' as DownloadId,
  account,
  report: 'r1' as RawReportId,
  name: 'Weekly',
  file: 'Weekly.zip',
  host: 'files.example',
  size: 2_000,
  expires: null,
  state,
})

const calm: TrayFacts = {
  raw: { running: [], readyUnseen: 0, attention: 0, lastFinished: null },
  downloads: [],
  stuck: [],
  findings: null,
  sync: 'Up to date at 14:03',
  pinned: null,
  paused: false,
  lock: 'off',
  now: 100 * minute,
}

const shown = (changes: Partial<TrayFacts>) => {
  const { icon, tooltip, groups } = trayPicture({ ...calm, ...changes })
  return { icon, tooltip, lines: groups.map((group) => group.map(({ words }) => words)) }
}

describe('the picture of the tray', () => {
  it('is at rest where nothing happens, and says whether the figures are fresh', () => {
    expect(shown({})).toEqual({
      icon: 'idle',
      tooltip: 'Traffic Desk: up to date at 14:03',
      lines: [[], [], [], ['Up to date at 14:03']],
    })
  })

  it('names new findings, and opens a single one', () => {
    const id = '00000000-0000-4000-8000-000000000007' as FindingId
    expect(shown({ findings: { fresh: 2, account, id: null } })).toEqual({
      ...{ icon: 'idle', tooltip: 'Traffic Desk: 2 new findings' },
      lines: [['2 new findings'], [], [], ['Up to date at 14:03']],
    })
    const { groups } = trayPicture({ ...calm, findings: { fresh: 1, account, id } })
    expect(groups[0]).toEqual([{ words: '1 new finding', place: { kind: 'finding', account, id } }])
    expect(trayPicture({ ...calm, lock: 'locked', findings: { fresh: 1, account, id } }).groups).toEqual([])
  })

  it('says how it stands with pinned views below the connection', () => {
    expect(shown({ pinned: 'Updating Acme browsers' })).toMatchObject({
      icon: 'idle',
      lines: [[], [], [], ['Up to date at 14:03', 'Updating Acme browsers']],
    })
  })

  it('works while reports are made and files are saved', () => {
    const raw = { ...calm.raw, running: [running('Weekly', 96 * minute), running('', 100 * minute)] }
    expect(
      shown({
        raw,
        downloads: [download({ kind: 'running', done: 900, total: 2000, unit: 'bytes', speed: null })],
      }),
    ).toEqual({
      icon: 'working',
      tooltip: 'Traffic Desk: 2 reports in progress, 1 file being saved',
      lines: [
        [],
        ['Weekly: in progress for 4 min', 'Raw report: in progress for less than a minute'],
        ['Weekly.zip: 45 %'],
        ['Up to date at 14:03'],
      ],
    })
  })

  it('tells an archive that is checked from one that is unpacked', () => {
    const downloads = [download({ kind: 'checking' }), download({ kind: 'unpacking' })]
    expect(shown({ downloads })).toMatchObject({
      icon: 'working',
      tooltip: 'Traffic Desk: 2 files being saved',
      lines: [[], [], ['Weekly.zip: being checked', 'Weekly.zip: being unpacked'], expect.anything()],
    })
  })

  it('leads from a report to that report, and from a file to the downloads', () => {
    const raw = { ...calm.raw, running: [running('Weekly', 0)] }
    const { groups } = trayPicture({ ...calm, raw, downloads: [download({ kind: 'checking' })] })
    expect(groups.flat().map(({ place }) => place)).toEqual([
      { kind: 'raw', account, report: 'Weekly' },
      { kind: 'downloads' },
      null,
    ])
  })

  it('says that reports are ready, and before that, that something needs a look', () => {
    const ready = { ...calm.raw, readyUnseen: 2 }
    expect(shown({ raw: ready })).toMatchObject({ icon: 'ready', tooltip: 'Traffic Desk: 2 reports ready' })
    expect(shown({ raw: { ...ready, attention: 1 } })).toMatchObject({
      icon: 'attention',
      tooltip: 'Traffic Desk: 1 report needs a look, 2 reports ready',
    })
    const failure = { kind: 'disk', message: 'Full.' } as const
    expect(shown({ downloads: [download({ kind: 'failed', failure })] }).icon).toBe('attention')
  })

  it('is at rest while it is paused, and says so', () => {
    const raw = { ...calm.raw, running: [running('Weekly', 0)] }
    expect(shown({ raw, paused: true })).toMatchObject({
      icon: 'idle',
      tooltip: 'Traffic Desk: paused, 1 report in progress',
    })
  })

  it('asks for a decision on requests that do not go on by themselves, and leads to their queue', () => {
    const request = { account, request: 'q1' as RawRequestId, name: 'Every Monday' }
    const unclear = { ...request, name: '', state: { kind: 'unclear', since: 0 as Instant } } as const
    const failure = { kind: 'bad-request', message: 'Too old.' } as const
    const refused = { ...request, state: { kind: 'refused', failure, fields: {} } } as const
    expect(shown({ stuck: [refused, unclear] })).toMatchObject({
      icon: 'attention',
      tooltip: 'Traffic Desk: 2 requests need a decision',
      lines: [
        ['Every Monday was refused', 'A request may not have been requested'],
        [],
        [],
        ['Up to date at 14:03'],
      ],
    })
    const [lines] = trayPicture({ ...calm, stuck: [refused] }).groups
    expect(lines?.[0]?.place).toEqual({ kind: 'raw', account, report: null })
  })

  it('names the end that was last, and counts what would make the menu too long', () => {
    const lastFinished = {
      account,
      report: 'r9' as RawReportId,
      kind: 'timed-out',
      name: 'Monthly',
      foundAt: 0 as Instant,
      rows: null,
      size: null,
      shownAt: null,
    } as const
    const raw = { ...calm.raw, running: Array.from({ length: 7 }, () => running('R', 0)), lastFinished }
    const [, reports] = shown({ raw }).lines
    expect(reports).toHaveLength(7)
    expect(reports?.slice(5)).toEqual(['2 more in progress', 'Monthly timed out'])
  })

  it('counts, and names nothing, while the window is locked', () => {
    const raw = { ...calm.raw, running: [running('Northwind weekly', 0)], readyUnseen: 2 }
    const downloads = [download({ kind: 'running', done: 1, total: 2000, unit: 'bytes', speed: null })]
    expect(shown({ raw, downloads, sync: 'Northwind: up to date', lock: 'locked' })).toEqual({
      icon: 'ready',
      tooltip: 'Traffic Desk: locked, 2 reports ready, 1 report in progress, 1 file being saved',
      lines: [],
    })
    expect(trayPicture({ ...calm, lock: 'open' }).canLock).toBe(true)
    expect(shown({ sync: 'Northwind: up to date', lock: 'locked' }).tooltip).toBe('Traffic Desk: locked')
  })
})
