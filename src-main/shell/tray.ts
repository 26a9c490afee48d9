import { percentDone } from '#shared/app/jobs.ts'
import type { Download } from '#shared/downloads/download.ts'
import type { StuckRequest } from '#shared/raw/requests.ts'
import type { RawSummary } from '#shared/raw/list.ts'
import { endings, stuckWords } from '#shared/texts/raw.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { FindingId } from '#shared/watch/alerts.ts'

/** A place in the app that notifications and the tray can open. */
export type AppPlace =
  | { readonly kind: 'raw'; readonly account: AccountId; readonly report: RawReportId | null }
  /** A finding; null for all findings. */
  | { readonly kind: 'finding'; readonly account: AccountId; readonly id: FindingId | null }
  | { readonly kind: 'schedules'; readonly account: AccountId }
  | { readonly kind: 'downloads' }
  /** About, in Help. */
  | { readonly kind: 'about' }

export type TrayFacts = {
  readonly raw: RawSummary
  readonly downloads: readonly Download[]
  /** Raw requests that need the user's decision. */
  readonly stuck: readonly StuckRequest[]
  /** Findings that need attention; null without any. `id`: the finding, if it is a single one. */
  readonly findings: {
    readonly fresh: number
    readonly account: AccountId
    readonly id: FindingId | null
  } | null
  /** Text about the connection of the active account: "Up to date at 14:03". */
  readonly sync: string
  /** Text about refreshing pinned views; null if there is nothing to show. */
  readonly pinned: string | null
  readonly paused: boolean
  /** State of the lock. While locked, names are hidden. */
  readonly lock: 'off' | 'open' | 'locked'
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Maximum number of lines per group; further items are counted. */
const MAX_LINES = 5

/** Builds the tray's picture from the facts. */
export function trayPicture(facts: TrayFacts): TrayPicture {
  return {
    icon: iconFor(facts),
    tooltip: `Traffic Desk: ${wordsFor(facts)}`,
    groups:
      facts.lock === 'locked'
        ? []
        : [
            [...stuckLines(facts), ...findingLines(facts)],
            reportLines(facts),
            downloadLines(facts),
            [facts.sync, facts.pinned].flatMap((words) => (words === null ? [] : [{ words, place: null }])),
          ],
    paused: facts.paused,
    canLock: facts.lock === 'open',
  }
}

const isSaving = ({ state }: Pick<Download, 'state'>) =>
  ['running', 'checking', 'unpacking'].includes(state.kind)

function iconFor({ raw, downloads, stuck, paused }: TrayFacts): TrayIcon {
  if (raw.attention > 0 || stuck.length > 0 || downloads.some(({ state }) => state.kind === 'failed'))
    return 'attention'
  if (raw.readyUnseen > 0) return 'ready'
  const works = raw.running.length > 0 || downloads.some(isSaving)
  return works && !paused ? 'working' : 'idle'
}

const countWords = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

const freshWords = (fresh: number) => countWords(fresh, 'new finding', 'new findings')

function wordsFor({ raw, downloads, stuck, findings, sync, paused, lock }: TrayFacts): string {
  const saving = downloads.filter(isSaving).length
  const parts = [
    lock === 'locked' && 'locked',
    paused && 'paused',
    raw.attention > 0 && `${countWords(raw.attention, 'report needs', 'reports need')} a look`,
    stuck.length > 0 && `${countWords(stuck.length, 'request needs', 'requests need')} a decision`,
    findings !== null && freshWords(findings.fresh),
    raw.readyUnseen > 0 && countWords(raw.readyUnseen, 'report ready', 'reports ready'),
    raw.running.length > 0 && countWords(raw.running.length, 'report in progress', 'reports in progress'),
    saving > 0 && countWords(saving, 'file being saved', 'files being saved'),
  ].filter((part) => part !== false)
  return parts.length > 0 ? parts.join(', ') : sync.charAt(0).toLowerCase() + sync.slice(1)
}

/** Returns at most `MAX_LINES` lines, and one with the number of further items. */
function someLines<T>(
  all: readonly T[],
  line: (item: T) => TrayLine,
  more: string,
  place: AppPlace | null = null,
): TrayLine[] {
  const lines = all.slice(0, MAX_LINES).map(line)
  const left = all.length - lines.length
  return left > 0 ? [...lines, { words: `${left} more ${more}`, place }] : lines
}

/** Stuck requests come first, because they wait for the user. */
function stuckLines({ stuck }: TrayFacts): TrayLine[] {
  const line = ({ account, name, state }: StuckRequest): TrayLine => ({
    words: `${name || 'A request'} ${stuckWords[state.kind]}`,
    place: { kind: 'raw', account, report: null },
  })
  return someLines(stuck, line, 'to be decided')
}

function findingLines({ findings }: TrayFacts): TrayLine[] {
  if (findings === null) return []
  const { fresh, account, id } = findings
  return [{ words: freshWords(fresh), place: { kind: 'finding', account, id } }]
}

function reportLines({ raw, now }: TrayFacts): TrayLine[] {
  const line = ({ account, report, name, since }: RawSummary['running'][number]): TrayLine => ({
    words: `${name || 'Raw report'}: in progress for ${minutes(now - since)}`,
    place: { kind: 'raw', account, report },
  })
  const running = someLines(raw.running, line, 'in progress')
  if (raw.lastFinished === null) return running
  const { account, report, name, kind } = raw.lastFinished
  const words = `${name || 'Raw report'} ${endings[kind]}`
  return [...running, { words, place: { kind: 'raw', account, report } }]
}

function minutes(milliseconds: number): string {
  const whole = Math.max(0, Math.floor(milliseconds / 60_000))
  return whole < 1
    ? 'less than a minute'
    : whole < 60
      ? `${whole} min`
      : `${Math.floor(whole / 60)} h ${whole % 60} min`
}

function downloadLines({ downloads }: TrayFacts): TrayLine[] {
  const under = downloads.filter((download) => isSaving(download) || download.state.kind === 'paused')
  const place = { kind: 'downloads' } as const
  const line = (download: Download) => ({ words: `${download.file}: ${progressOf(download)}`, place })
  return someLines(under, line, 'being saved', place)
}

function progressOf({ state }: Download): string {
  switch (state.kind) {
    case 'running':
      return state.total ? `${percentDone(state)} %` : 'being saved'
    case 'checking':
      return 'being checked'
    case 'unpacking':
      return 'being unpacked'
    case 'paused':
      return 'paused'
    case 'waiting':
    case 'failed':
    case 'saved':
    case 'missing':
      return state.kind
  }
}

/** Progress of all downloads for the taskbar, from 0 to 1. Negative without downloads; above 1 if a size is unknown. */
export function progressOfAll(downloads: readonly Download[]): number {
  const under = downloads.filter(isSaving)
  if (under.length === 0) return -1
  const sizes = under.map(({ size }) => size ?? 0)
  if (sizes.includes(0)) return 2
  const done = under.map(({ state, size }) => (state.kind === 'running' ? state.done : (size ?? 0)))
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
  return Math.min(1, sum(done) / sum(sizes))
}

export const trayIcons = ['idle', 'working', 'ready', 'attention'] as const
export type TrayIcon = (typeof trayIcons)[number]

/** A menu entry. With a place, a click opens the place. */
type TrayLine = { readonly words: string; readonly place: AppPlace | null }

export type TrayPicture = {
  readonly icon: TrayIcon
  /** One sentence. */
  readonly tooltip: string
  /** Groups of the menu: what needs the user, reports, downloads and status. */
  readonly groups: readonly (readonly TrayLine[])[]
  /** Whether the user paused background work. */
  readonly paused: boolean
  /** Whether the window can be locked now. */
  readonly canLock: boolean
}
