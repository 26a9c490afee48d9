import type { Connection } from '../../src-shared/accounts/account.ts'
import type { Provenance } from '../../src-shared/reports/answer.ts'
import type { Failure } from '../../src-shared/service/failure.ts'
import { moment } from '../parts/formats.ts'

/** What the status has to know of a question on screen. */
export type StatusSource = {
  readonly answer: { readonly provenance: Provenance } | null
  readonly failure: Failure | null
  readonly asking: boolean
  readonly refreshing: boolean
}

export type Status = {
  readonly tone: 'calm' | 'busy' | 'offline'
  readonly words: string
  readonly refreshing: boolean
}

const calm = (words: string): Status => ({ tone: 'calm', words, refreshing: false })

/** Whether the service cannot be reached, as far as is known. */
export function isOffline(connection: Connection, sources: readonly StatusSource[]): boolean {
  if (connection.state === 'offline') return true
  if (connection.state !== 'unknown') return false
  return sources.some((each) => (each.answer?.provenance.failure ?? each.failure)?.kind === 'offline')
}

/** The words of the header's status for what is on screen: the oldest figures name the time. */
export function statusOf(connection: Connection, sources: readonly StatusSource[], now: number): Status {
  const offline = isOffline(connection, sources)
  const kept = sources.flatMap(({ answer }) => answer?.provenance ?? [])
  const refreshing = sources.some((each) => each.refreshing)
  if (kept.length > 0) {
    const time = moment(Math.min(...kept.map(({ fetchedAt }) => fetchedAt)), now)
    return offline
      ? { tone: 'offline', words: `Offline. Showing what was kept at ${time}`, refreshing }
      : { tone: refreshing ? 'busy' : 'calm', words: `As of ${time}`, refreshing }
  }
  if (sources.length === 0) return offline ? { ...calm('Offline'), tone: 'offline' } : calm('')
  if (sources.some(({ asking }) => asking))
    return { tone: 'busy', words: 'Asking the service…', refreshing: false }
  return offline
    ? { ...calm('Offline. Nothing kept for this view yet'), tone: 'offline' }
    : calm('No figures yet')
}
