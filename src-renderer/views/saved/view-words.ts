import type { SavedViewState } from '../../../src-shared/views/saved.ts'
import { failureWords } from '../../parts/failure-words.ts'
import { moment, size } from '../../parts/formats.ts'

const ofDays = (days: number, of: number) => `${days} of ${of} ${of === 1 ? 'day' : 'days'}`

/** How it stands with a view offline: how much is kept, how old, how large; or what stands in the way. */
export function keptWords({ pinned, kept, syncing, failure }: SavedViewState, now: number): string {
  if (!pinned) return 'Not kept offline'
  if (!kept) return syncing ? 'Keeping it offline…' : 'Nothing saved yet'
  const parts = [
    syncing ? `Keeping it offline: ${ofDays(kept.days, kept.of)}` : `${ofDays(kept.days, kept.of)} saved`,
  ]
  if (kept.oldest !== null) parts.push(`as of ${moment(kept.oldest, now)}`)
  if (kept.bytes > 0) parts.push(size(kept.bytes))
  const words = parts.join(' · ')
  return failure && !syncing ? `${words}. Not updated: ${failureWords[failure.kind].title}` : words
}
