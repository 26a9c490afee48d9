import type { Connection } from '#shared/accounts/account.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import type { Failure } from '#shared/api/failure.ts'
import { tokenMarks } from '#shared/texts/accounts.ts'
import { moment, momentExactly } from '../components/formats.ts'

/** State of a query that the status needs. */
export type StatusSource = {
  readonly answer: { readonly provenance: Provenance } | null
  readonly failure: Failure | null
  readonly fetching: boolean
  readonly refreshing: boolean
}

type Status = {
  readonly tone: 'quiet' | 'calm' | 'busy' | 'stuck' | 'offline'
  readonly words: string
  /** Shown, but not announced: a banner or a change of figures announces it too. */
  readonly more: string | null
  /** Whether there are figures to give details of. */
  readonly figures: boolean
}

const failureOf = ({ answer, failure }: StatusSource) => answer?.provenance.failure ?? failure

/** Reasons why nothing newer arrives although the service is reachable. */
const stuckWords: Readonly<Partial<Record<Connection['kind'], string>>> = {
  ...tokenMarks,
  'proxy-sign-in': 'Waiting for the proxy',
}

export const asksForRest = 'Service asks for rest'

/** Time of the next try while the service asks for rest; null for every other state. */
export const restWords = (connection: Connection): string | null =>
  connection.kind === 'resting' ? `${asksForRest} · next try at ${momentExactly(connection.until)}` : null

/** Whether the service is unreachable, as far as is known. */
export function isOffline(connection: Connection, sources: readonly StatusSource[]): boolean {
  if (connection.kind === 'offline') return true
  if (connection.kind !== 'unknown') return false
  return sources.some((source) => failureOf(source)?.kind === 'offline')
}

/** Status in the header for the queries on screen. The oldest figures give the time. */
export function statusOf(connection: Connection, sources: readonly StatusSource[], now: number): Status {
  // A service that reports its own error is reachable; the view shows that error.
  const inTrouble = sources.some((source) => failureOf(source)?.kind === 'server-trouble')
  const offline = isOffline(connection, sources) && !inTrouble
  const rest = restWords(connection)
  const stored = sources.flatMap(({ answer }) => answer?.provenance ?? [])
  const refreshing = sources.some((source) => source.refreshing)
  if (stored.length > 0) {
    const time = moment(Math.min(...stored.map(({ fetchedAt }) => fetchedAt)), now)
    const stuck = rest ?? stuckWords[connection.kind]
    const more = stuck ?? (refreshing ? 'Refreshing…' : null)
    return offline
      ? { tone: 'offline', words: `Offline. Showing what was kept at ${time}`, more, figures: true }
      : { tone: stuck ? 'stuck' : refreshing ? 'busy' : 'calm', words: `As of ${time}`, more, figures: true }
  }
  const bare = (tone: Status['tone'], words: string): Status =>
    rest === null
      ? { tone, words, more: null, figures: false }
      : { tone: 'stuck', words, more: rest, figures: false }
  if (sources.length === 0) return offline ? bare('offline', 'Offline') : bare('quiet', '')
  if (sources.some(({ fetching, refreshing }) => fetching || refreshing)) return bare('busy', 'Loading…')
  return offline
    ? bare('offline', 'Offline. Nothing saved for this view yet')
    : bare('quiet', 'No figures for this view')
}
