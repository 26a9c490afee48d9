import { failureOf } from '#shared/app/desk-failure.ts'
import type { RawRequestedAnswer } from '#shared/api/answers.ts'
import type { FailureKind } from '#shared/api/failure.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import { NeverSent } from '#main/api/network-failure.ts'
import { refusalInAnswer, refusalInWords } from './refusal.ts'
import type { Refusal } from './refusal.ts'

/** What came of sending a request. */
export type Outcome =
  | { readonly kind: 'report'; readonly report: RawReportId }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** It has not left, or was turned away at the door: it goes when this is there. */
  | { readonly kind: 'waits'; readonly for: 'connection' | 'token' }
  /** Nobody knows whether the service made the report. */
  | { readonly kind: 'lost' }

export function outcomeOf(answer: RawRequestedAnswer): Outcome {
  if (answer.success && answer.id !== null) return { kind: 'report', report: answer.id }
  // It was made, under an id that was not told; or it was refused, under one: the list knows.
  if (answer.success || answer.id !== null) return { kind: 'lost' }
  return { kind: 'refused', refusal: refusalInAnswer(answer) }
}

/** What a failure says of what was asked: it was not carried out (`refused`, `door`), or nobody knows (`lost`). */
const told: Readonly<Record<FailureKind, 'refused' | 'token' | 'lost'>> = {
  'bad-request': 'refused',
  'out-of-window': 'refused',
  'no-right': 'refused',
  'not-found': 'refused',
  'refused-token': 'token',
  'no-token': 'token',
  'no-keychain': 'token',
  offline: 'lost',
  'timed-out': 'lost',
  malformed: 'lost',
  // Something in between may have answered after the service did what it was asked.
  'server-trouble': 'lost',
  'proxy-sign-in': 'lost',
  cancelled: 'lost',
  costly: 'lost',
  invalid: 'lost',
  disk: 'lost',
  internal: 'lost',
}

export function outcomeOfFailure(error: unknown): Outcome {
  if (error instanceof NeverSent) return { kind: 'waits', for: 'connection' }
  const failure = failureOf(error)
  switch (told[failure.kind]) {
    case 'refused':
      return { kind: 'refused', refusal: refusalInWords(failure) }
    case 'token':
      return { kind: 'waits', for: 'token' }
    case 'lost':
      return { kind: 'lost' }
  }
}
