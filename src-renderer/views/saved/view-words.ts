import type { SavedViewState } from '#shared/views/saved.ts'
import { failureWords } from '#shared/texts/failures.ts'
import { moment, size } from '#renderer/components/formats.ts'

/** Whether a view is of raw rows: they lie on this machine, so there is nothing to keep. */
export const isOfRows = ({ address }: Pick<SavedViewState, 'address'>): boolean => /^#\/rows\b/.test(address)

const ofDays = (days: number, of: number) => `${days} of ${of} ${of === 1 ? 'day' : 'days'}`

/** How it stands with a view offline: how much is kept, how old, how large; or what stands in the way. */
export function storedWords(view: SavedViewState, now: number): string {
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
