import type { RawAccounts } from '../list/fetch-list.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import { failureOf } from '#shared/api/failure.ts'
import { checkDraft, argumentsOf } from '#shared/raw/draft.ts'
import type { RawRules, RawTrouble } from '#shared/raw/draft.ts'
import type { Failure, FailureKind } from '#shared/api/failure.ts'
import { dayAt } from '#shared/values/day.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { RefusedByName, NeverSent } from '#main/api/network-failure.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import type { RawRequestedAnswer } from '#shared/api/answers.ts'
import { endpoints } from '#shared/api/endpoints.ts'

/** What drafts of an account are checked against at this moment. */
export async function rulesOf(
  accounts: RawAccounts,
  settings: Pick<Settings, 'read' | 'downloadFolder'>,
  clock: Clock,
  account: AccountId,
): Promise<RawRules> {
  const { additionalColumns } = (await settings.read()).raw
  return { today: dayAt(clock.now(), accounts.account(account).dayZone), additional: additionalColumns }
}

/** A refusal in the same form as the service's, for what is wrong with a draft. */
export function troublesAsFailure(troubles: readonly RawTrouble[]): {
  readonly failure: Failure
  readonly fields: Readonly<Record<string, string>>
} {
  const [first] = troubles
  const failure: Failure = {
    kind: 'invalid',
    message: first?.words ?? "This request can't be sent.",
    ...(first && { field: first.field }),
  }
  // The first words about a field are the ones that stand.
  return { failure, fields: Object.fromEntries(troubles.map(({ field, words }) => [field, words]).reverse()) }
}

/**
 * Sends a request, once: checked anew, and after it has been written down that it leaves.
 * @returns null where it does not wait (any more), or was changed meanwhile
 * @throws DeskFailure where it could not be written down; then it has not left
 */
export async function sendOnce(
  store: Store,
  accounts: RawAccounts,
  settings: Pick<Settings, 'read' | 'downloadFolder'>,
  clock: Clock,
  { id, account, draft }: StoredRequest,
  signal: AbortSignal,
  leaving: () => void,
): Promise<Outcome | null> {
  const checked = checkDraft(draft, await rulesOf(accounts, settings, clock, account))
  if (checked.kind === 'troubles') {
    return { kind: 'refused', refusal: { kind: 'request', ...troublesAsFailure(checked.troubles) } }
  }
  let client: ServiceClient
  try {
    client = await accounts.clientFor(account)
  } catch (error) {
    const { kind } = failureOf(error)
    return { kind: 'waits', for: kind === 'no-token' || kind === 'no-keychain' ? 'token' : 'connection' }
  }
  const sentAt = clock.now() as Instant
  if (!(await store.run('raw-requests/sending', { id, draft, sentAt }))) return null
  leaving()
  try {
    const { answer } = await client.call('raw/request', argumentsOf(checked.order), { signal })
    return outcomeOf(answer)
  } catch (error) {
    const outcome = outcomeOfFailure(error)
    const isNamed = outcome.kind === 'refused' && error instanceof RefusedByName
    return isNamed ? { kind: 'refused', refusal: refusalInFailure(error) } : outcome
  }
}

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
const meanings: Readonly<Record<FailureKind, 'refused' | 'token' | 'lost'>> = {
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
  resting: 'lost',
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
  switch (meanings[failure.kind]) {
    case 'refused':
      return { kind: 'refused', refusal: refusalInWords(failure) }
    case 'token':
      return { kind: 'waits', for: 'token' }
    case 'lost':
      return { kind: 'lost' }
  }
}

/** Why the service did not take a request: its limits are reached, or something about the request. */
type Refusal =
  | { readonly kind: 'concurrent' | 'minutes' }
  | {
      readonly kind: 'request'
      readonly failure: Failure
      readonly fields: Readonly<Record<string, string>>
    }

const parameters = Object.keys(endpoints['raw/request'].parameters)
const aboutLimits =
  /^(?:processing|limits?|quota|minutes|concurren(?:t|cy)|(?:api|dashboard)_concurrent|minutes_\w+)$/i
const aboutMinutes = /\bminutes?\b/i

const LONGEST = 400
const shortened = (words: string) => (words.length <= LONGEST ? words : `${words.slice(0, LONGEST - 1)}…`)

/** Words of any form that a service may put there. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(wordsOf).filter(Boolean).join(' ')
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(wordsOf).filter(Boolean).join(' ')
}

type Named = readonly (readonly [name: string, words: string])[]

/** The parameter that feedback names, also where it goes on into it: `filters[0][column]`, `standard.2`. */
const parameterOf = (name: string) =>
  parameters.find(
    (parameter) => name === parameter || name.startsWith(`${parameter}.`) || name.startsWith(`${parameter}[`),
  )

/** Words by the parameter that they are about, all that are about one together. */
function fieldsOf(named: Named): Readonly<Record<string, string>> {
  const fields = new Map<string, string>()
  for (const [name, words] of named) {
    const parameter = parameterOf(name)
    if (parameter) fields.set(parameter, [fields.get(parameter), words].filter(Boolean).join(' '))
  }
  return Object.fromEntries(fields)
}

function refusalOf(named: Named, failure: Failure): Refusal {
  const limit = named.find(([name]) => aboutLimits.test(name))
  const fields = fieldsOf(named)
  // What is wrong with the request itself stays wrong when there is room again.
  if (limit && Object.keys(fields).length === 0) {
    const words = `${limit.join(' ')} ${failure.said ?? ''}`
    return { kind: aboutMinutes.test(words) ? 'minutes' : 'concurrent' }
  }
  return { kind: 'request', failure, fields }
}

/** @param message the service's words about all of it */
function refusalByFeedback(faults: Named, message: string, failure: Failure): Refusal {
  const named = faults.map(([name, words]) => [name, shortened(words || message)] as const)
  // What is about no field of the form is said with the message.
  const others = named.filter(([name, words]) => parameterOf(name) === undefined && words !== message)
  const said = shortened([message, ...others.map(asSaid)].filter(Boolean).join('. '))
  return refusalOf(named, { ...failure, ...(said !== '' && { said }) })
}

/** What `success: false` means, by what its feedback names (specification: raw/request). */
function refusalInAnswer({ message, feedback }: RawRequestedAnswer): Refusal {
  const faults = Object.entries(feedback.fail).map(([name, words]) => [name, wordsOf(words)] as const)
  return refusalByFeedback(faults, message, {
    kind: 'bad-request',
    message: 'The service rejected this request.',
  })
}

/** What the same feedback means under a status of refusal (field notes: answers and failures). */
function refusalInFailure({ failure, faults }: RefusedByName): Refusal {
  const refusal = refusalByFeedback(faults, failure.said ?? '', failure)
  const namesNone = refusal.kind === 'request' && Object.keys(refusal.fields).length === 0
  // The words beside it may name a field all the same.
  return namesNone ? refusalInWords(refusal.failure) : refusal
}

/** Feedback under a name of its own; one that is only counted says nothing by its number. */
const asSaid = ([name, words]: Named[number]) => (/^\d*$/.test(name) ? words : `${name}: ${words}`)

/** Where a parameter, or what limits processing, is named in words: `start: …`, `start has to …`. */
const naming = new RegExp(
  `(?:^|[.;,\\n]\\s*)(${parameters.join('|')}|processing|quota|limits?)(?::| (?=has|is|must|takes))`,
  'g',
)

/** What a refusal in words alone means (field notes: answers and failures). */
function refusalInWords(failure: Failure): Refusal {
  const { said = '' } = failure
  const names = [...said.matchAll(naming)]
  const named = names.map((match, place) => {
    const from = match.index + match[0].length
    const words = said.slice(from, names[place + 1]?.index).trim()
    return [match[1] ?? '', words || said] as const
  })
  return refusalOf(named, failure)
}
