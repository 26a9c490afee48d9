import type { LookCost } from '#shared/api/failure.ts'
import { secondsLeft } from './durations.ts'
import { count } from './formats.ts'

/** What a look costs, before it is spent. */
export function costWords({ calls, milliseconds, more }: LookCost): string {
  const asks = `This asks the service ${count(calls)} times and takes about ${secondsLeft(milliseconds / 1000)}.`
  return more === 0 ? asks : `${asks} ${count(more)} more can be asked for afterwards.`
}
