import type { StorageEstimate } from '#shared/views/keeping.ts'
import { count, size } from '#renderer/components/formats.ts'
import { duration } from '#renderer/components/durations.ts'

const days = (value: number) => `${count(value)} ${value === 1 ? 'day' : 'days'}`

/** What a depth is called. */
export const depthWords = ({ depth, of }: StorageEstimate): string =>
  depth === null ? `The days it shows (${days(of)})` : `Last ${depth} days`

/** What keeping it takes: "About 340 requests, 2 min, 12 MB". */
export function estimateWords({ days: missing, requests, milliseconds, bytes }: StorageEstimate): string {
  if (missing === 0) return 'Everything is saved already.'
  const asked = `${count(requests)} ${requests === 1 ? 'request' : 'requests'}`
  return `About ${asked}, ${duration(milliseconds)}, ${size(bytes)}`
}

/** Why that may be far off; null where it is known. */
export function guessWords({ assumed }: StorageEstimate): string | null {
  const unknown = {
    size: 'none of its days has been saved yet',
    time: 'nothing has been asked of the service yet',
  } as const
  const reasons = assumed.map((each) => unknown[each])
  return reasons.length === 0 ? null : `This is only a guess: ${reasons.join(', and ')}.`
}
