import type { FailureKind } from '#shared/api/failure.ts'

/**
 * What a failure says of the service: it is `away`; it may be (`doubtful`); it `answers`, though not with figures; it
 * `refused` the token; there is `no-token` to ask with; a `proxy` lets nobody through who does not sign in; or it says `nothing` of it.
 */
export type Meaning = 'away' | 'doubtful' | 'answers' | 'refused' | 'no-token' | 'proxy' | 'nothing'

const meanings: Readonly<Record<FailureKind, Meaning>> = {
  offline: 'away',
  // One slow or broken report does not make the service unreachable: something small tells.
  'timed-out': 'doubtful',
  'server-trouble': 'doubtful',
  malformed: 'doubtful',
  'not-found': 'doubtful',
  'proxy-sign-in': 'proxy',
  'no-right': 'answers',
  'bad-request': 'answers',
  'out-of-window': 'answers',
  'refused-token': 'refused',
  'no-token': 'no-token',
  'no-keychain': 'no-token',
  cancelled: 'nothing',
  costly: 'nothing',
  invalid: 'nothing',
  disk: 'nothing',
  internal: 'nothing',
}

export const meaningOf = (kind: FailureKind): Meaning => meanings[kind]
