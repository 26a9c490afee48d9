import type { Formats } from './formats.ts'
import { secondsLeft } from './durations.ts'
import type { FailureKind, LookCost } from '../api/failure.ts'

/** What each kind of failure is called, and what helps: asking again, fewer days, or nothing from here. */
export const failureWords: Readonly<
  Record<FailureKind, { title: string; helps: 'again' | 'fewer-days' | null }>
> = {
  offline: { title: 'The service cannot be reached', helps: 'again' },
  'timed-out': { title: 'The service took too long', helps: 'again' },
  'refused-token': { title: 'The service refuses the access token', helps: 'again' },
  'no-right': { title: 'This token may not see these figures', helps: 'again' },
  'bad-request': { title: 'The service did not accept the question', helps: 'again' },
  'out-of-window': { title: 'More days than the service answers at once', helps: 'fewer-days' },
  'not-found': { title: 'The service has no such report', helps: 'again' },
  malformed: { title: 'The answer could not be read', helps: 'again' },
  'server-trouble': { title: 'The service is in trouble', helps: 'again' },
  'proxy-sign-in': { title: 'The proxy of this network wants to know who asks', helps: 'again' },
  cancelled: { title: 'Cancelled', helps: 'again' },
  costly: { title: 'Not asked for yet', helps: 'again' },
  invalid: { title: 'Something entered is not right', helps: null },
  'no-token': { title: 'There is no access token to ask with', helps: 'again' },
  'no-keychain': { title: 'No keychain answers on this computer', helps: 'again' },
  disk: { title: 'The disk cannot be written to', helps: 'again' },
  internal: { title: 'Something went wrong inside Traffic Desk', helps: 'again' },
}

/** What a look costs, before it is spent. */
export function costWords({ calls, milliseconds, more }: LookCost, formats: Formats): string {
  const asks = `This asks the service ${formats.count(calls)} times and takes about ${secondsLeft(milliseconds / 1000, formats)}.`
  return more === 0 ? asks : `${asks} ${formats.count(more)} more can be asked for afterwards.`
}
