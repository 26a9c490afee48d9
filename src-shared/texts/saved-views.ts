import type { Connection } from '../accounts/account.ts'
import type { Job } from '../app/jobs.ts'
import type { StorageEstimate, SavedViewState, SyncState } from '../views/saved-views.ts'
import { duration, failureWords } from './formats.ts'
import type { Formats } from './formats.ts'

const days = (value: number, { count }: Formats) => `${count(value)} ${value === 1 ? 'day' : 'days'}`

/** Says what is saved of a view offline. @param view its name and what it covers */
export const offlineWords = (view: string): string =>
  `Saves this view on your computer: ${view}. The account's other figures are not saved with it.`

/** Returns the label of a depth. */
export const depthWords = ({ depth, total }: StorageEstimate, formats: Formats): string =>
  depth === null ? `The days shown (${days(total, formats)})` : `Last ${depth} days`

/** Returns the estimated cost: "About 340 calls, 2 min, 12 MB". */
export function estimateWords(
  { days: missing, requests, milliseconds, bytes }: StorageEstimate,
  formats: Formats,
): string {
  const { count, size } = formats
  if (missing === 0) return 'Everything is already saved.'
  const calls = `${count(requests)} ${requests === 1 ? 'call' : 'calls'}`
  return `About ${calls}, ${duration(milliseconds, formats)}, ${size(bytes)}`
}

/** Returns why the estimate is rough; null if it is not. */
export function guessWords({ assumed }: StorageEstimate): string | null {
  const unknown = {
    size: 'no days are saved yet',
    time: 'no calls have been made yet',
  } as const
  const reasons = assumed.map((item) => unknown[item])
  return reasons.length === 0 ? null : `A rough estimate: ${reasons.join(', and ')}.`
}

/** Whether a view shows raw rows, which are always local and need no storing. */
export const isOfRows = ({ address }: Pick<SavedViewState, 'address'>): boolean => /^#\/rows\b/.test(address)

const ofDays = (days: number, total: number) => `${days} of ${total} ${total === 1 ? 'day' : 'days'}`

/** Returns the storage state of a view: days, age and size, or what prevents storing. */
export function storedWords(view: SavedViewState, now: number, { moment, size }: Formats): string {
  const { pinned, stored, syncing, failure } = view
  if (isOfRows(view)) return 'Raw rows'
  if (!pinned) return 'Not saved offline'
  if (!stored) return syncing ? 'Saving offline…' : 'Nothing saved yet'
  const parts = [
    syncing
      ? `Saving offline: ${ofDays(stored.days, stored.total)}`
      : `${ofDays(stored.days, stored.total)} saved`,
  ]
  if (stored.oldest !== null) parts.push(`updated ${moment(stored.oldest, now)}`)
  if (stored.bytes > 0) parts.push(size(stored.bytes))
  const words = parts.join(' · ')
  return failure && !syncing ? `${words}. Not updated: ${failureWords[failure.kind].title}` : words
}

/** Returns the connection's state for the tray. @param account its name; null without an account */
export function connectionWords({ kind: state }: Connection, account: string | null): string {
  if (account === null) return 'No account yet'
  switch (state) {
    case 'unknown':
      return `Account ${account}`
    case 'online':
      return `Connected to ${account}`
    case 'offline':
      return `Offline: can't reach ${account}`
    case 'resting':
      return `Waiting: ${account} asks for rest`
    case 'refused':
      return `Token rejected by ${account}`
    case 'no-token':
      return `No token for ${account}`
    case 'proxy-sign-in':
      return 'Waiting: the proxy requires sign-in'
  }
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/**
 * Returns the state of refreshing views for the tray; null if there is nothing to show.
 * @param job the running refresh
 */
export function syncStatusWords({ syncedAt, trouble }: SyncState, job: Job | undefined): string | null {
  if (job) return `Updating ${job.title}`
  if (trouble) return `Not updated: ${trouble.view}`
  return syncedAt === null ? null : `Views updated ${time.format(syncedAt)}`
}

/** Returns the state of refreshing views for the window, with progress. */
export function syncWords(
  { syncedAt, trouble }: SyncState,
  job: Job | undefined,
  now: number,
  { count, moment }: Formats,
): string | null {
  if (job?.state.kind === 'running') {
    const { done, total } = job.state
    const days = total === 1 ? 'day' : 'days'
    return total === null
      ? `Updating ${job.title}`
      : `Updating ${count(done)} of ${count(total)} ${days} · ${job.title}`
  }
  if (trouble) return troubleWords(trouble)
  return syncedAt === null ? null : `Views updated ${moment(syncedAt, now)}`
}

export const troubleWords = ({ view, failure }: NonNullable<SyncState['trouble']>): string =>
  `${view} not updated: ${failureWords[failure.kind].title}`
