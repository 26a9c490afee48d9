import type { Formats } from './formats.ts'
import { duration } from './durations.ts'
import type { StorageEstimate, SavedViewState } from '../views/saved-views.ts'
import { failureWords } from './failures.ts'

const days = (value: number, { count }: Formats) => `${count(value)} ${value === 1 ? 'day' : 'days'}`

/** What a depth is called. */
export const depthWords = ({ depth, of }: StorageEstimate, formats: Formats): string =>
  depth === null ? `The days it shows (${days(of, formats)})` : `Last ${depth} days`

/** What keeping it takes: "About 340 requests, 2 min, 12 MB". */
export function estimateWords(
  { days: missing, requests, milliseconds, bytes }: StorageEstimate,
  formats: Formats,
): string {
  const { count, size } = formats
  if (missing === 0) return 'Everything is saved already.'
  const calls = `${count(requests)} ${requests === 1 ? 'request' : 'requests'}`
  return `About ${calls}, ${duration(milliseconds, formats)}, ${size(bytes)}`
}

/** Why that may be far off; null where it is known. */
export function guessWords({ assumed }: StorageEstimate): string | null {
  const unknown = {
    size: 'none of its days has been saved yet',
    time: 'nothing has been asked of the service yet',
  } as const
  const reasons = assumed.map((item) => unknown[item])
  return reasons.length === 0 ? null : `This is only a guess: ${reasons.join(', and ')}.`
}

/** Whether a view is of raw rows: they lie on this machine, so there is nothing to keep. */
export const isOfRows = ({ address }: Pick<SavedViewState, 'address'>): boolean => /^#\/rows\b/.test(address)

const ofDays = (days: number, total: number) => `${days} of ${total} ${total === 1 ? 'day' : 'days'}`

/** How it stands with a view offline: how much is kept, how old, how large; or what stands in the way. */
export function storedWords(view: SavedViewState, now: number, { moment, size }: Formats): string {
  const { pinned, stored, syncing, failure } = view
  if (isOfRows(view)) return 'Raw rows'
  if (!pinned) return 'Not kept offline'
  if (!stored) return syncing ? 'Keeping it offline…' : 'Nothing saved yet'
  const parts = [
    syncing
      ? `Keeping it offline: ${ofDays(stored.days, stored.of)}`
      : `${ofDays(stored.days, stored.of)} saved`,
  ]
  if (stored.oldest !== null) parts.push(`as of ${moment(stored.oldest, now)}`)
  if (stored.bytes > 0) parts.push(size(stored.bytes))
  const words = parts.join(' · ')
  return failure && !syncing ? `${words}. Not updated: ${failureWords[failure.kind].title}` : words
}
