import type { RawContext } from '../raw-context.ts'
import { failureOf } from '#shared/api/failure.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import { checkDraft, argumentsOf } from '#shared/raw/draft.ts'
import type { RawRules, RawTrouble } from '#shared/raw/draft.ts'
import type { Failure } from '#shared/api/failure.ts'
import { dayAt } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { RefusedByName, NeverSent } from '#main/api/network-failure.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import type { RawRequestedAnswer } from '#shared/api/answers.ts'
import { endpoints } from '#shared/api/endpoints.ts'

/** Current rules for drafts of an account. */
export async function rulesOf(
  { accounts, settings, clock }: RawContext,
  account: AccountId,
): Promise<RawRules> {
  const { additionalColumns } = (await settings.read()).raw
  return { today: dayAt(clock.now(), accounts.account(account).dayZone), additional: additionalColumns }
}

/** Converts errors in a draft to the form of a service's refusal. */
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
  // Later entries win in `fromEntries`, so `reverse` keeps the first message of a field.
  return { failure, fields: Object.fromEntries(troubles.map(({ field, words }) => [field, words]).reverse()) }
}

/**
 * Sends a request once, after checking it again and storing it as sent.
 * @returns null if the request is no longer waiting or has changed
 * @throws DeskFailure if storing fails; the request was not sent
 */
export async function sendOnce(
  context: RawContext,
  { id, account, draft }: StoredRequest,
  signal: AbortSignal,
  leaving: () => void,
): Promise<SendOutcome | null> {
  const checked = checkDraft(draft, await rulesOf(context, account))
  if (checked.kind === 'troubles') {
    return { kind: 'refused', refusal: { kind: 'request', ...troublesAsFailure(checked.troubles) } }
  }
  let client: ServiceClient
  try {
    client = await context.accounts.clientFor(account)
  } catch (error) {
    const { remedy } = failureMeanings[failureOf(error).kind]
    return { kind: 'waits', for: remedy === 'token' ? 'token' : 'connection' }
  }
  const sentAt = instantOf(context.clock.now())
  if (!(await context.store.run('raw-requests/sending', { id, draft, sentAt }))) return null
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

export type SendOutcome =
  | { readonly kind: 'report'; readonly report: RawReportId }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** Not sent, or rejected before processing. Retried when the condition is met. */
  | { readonly kind: 'waits'; readonly for: 'connection' | 'token' }
  /** The report may or may not exist. */
  | { readonly kind: 'lost' }

export function outcomeOf(answer: RawRequestedAnswer): SendOutcome {
  if (answer.success && answer.id !== null) return { kind: 'report', report: answer.id }
  // Contradictory: successful without an id, or refused with one. The list will show.
  if (answer.success || answer.id !== null) return { kind: 'lost' }
  return { kind: 'refused', refusal: refusalInAnswer(answer) }
}

export function outcomeOfFailure(error: unknown): SendOutcome {
  if (error instanceof NeverSent) return { kind: 'waits', for: 'connection' }
  const failure = failureOf(error)
  switch (failureMeanings[failure.kind].remedy) {
    case 'none':
      return { kind: 'refused', refusal: refusalInWords(failure) }
    case 'token':
      return { kind: 'waits', for: 'token' }
    case 'retry':
    case null:
      return { kind: 'lost' }
  }
}

/** Why the service refused a request: a limit, or the request itself. */
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

/** Extracts the text of a value of any form. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(wordsOf).filter(Boolean).join(' ')
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(wordsOf).filter(Boolean).join(' ')
}

type Named = readonly (readonly [name: string, words: string])[]

/** Parameter that feedback names, including nested names: `filters[0][column]`, `standard.2`. */
const parameterOf = (name: string) =>
  parameters.find(
    (parameter) => name === parameter || name.startsWith(`${parameter}.`) || name.startsWith(`${parameter}[`),
  )

/** Messages by parameter, joined per parameter. */
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
  // Errors in the request itself remain when the limits allow it.
  if (limit && Object.keys(fields).length === 0) {
    const words = `${limit.join(' ')} ${failure.said ?? ''}`
    return { kind: aboutMinutes.test(words) ? 'minutes' : 'concurrent' }
  }
  return { kind: 'request', failure, fields }
}

/** @param message the service's general message */
function refusalByFeedback(faults: Named, message: string, failure: Failure): Refusal {
  const named = faults.map(([name, words]) => [name, shortened(words || message)] as const)
  // Messages about no field of the form are appended to the general message.
  const others = named.filter(([name, words]) => parameterOf(name) === undefined && words !== message)
  const said = shortened([message, ...others.map(asSaid)].filter(Boolean).join('. '))
  return refusalOf(named, { ...failure, ...(said !== '' && { said }) })
}

/** Reason for `success: false`, by its feedback (specification: raw/request). */
function refusalInAnswer({ message, feedback }: RawRequestedAnswer): Refusal {
  const faults = Object.entries(feedback.fail).map(([name, words]) => [name, wordsOf(words)] as const)
  return refusalByFeedback(faults, message, {
    kind: 'bad-request',
    message: 'The service rejected this request.',
  })
}

/** Reason in the same feedback with an error status (field notes: answers and failures). */
function refusalInFailure({ failure, faults }: RefusedByName): Refusal {
  const refusal = refusalByFeedback(faults, failure.said ?? '', failure)
  const namesNone = refusal.kind === 'request' && Object.keys(refusal.fields).length === 0
  // The general message may still name a field.
  return namesNone ? refusalInWords(refusal.failure) : refusal
}

/** Formats named feedback. Numeric names are omitted. */
const asSaid = ([name, words]: Named[number]) => (/^\d*$/.test(name) ? words : `${name}: ${words}`)

/** Matches a parameter or limit named in text: `start: …`, `start has to …`. */
const naming = new RegExp(
  `(?:^|[.;,\\n]\\s*)(${parameters.join('|')}|processing|quota|limits?)(?::| (?=has|is|must|takes))`,
  'g',
)

/** Reason in a refusal without feedback (field notes: answers and failures). */
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
