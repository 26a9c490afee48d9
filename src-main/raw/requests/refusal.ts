import type { RawRequestedAnswer } from '#shared/api/answers.ts'
import { endpoints } from '#shared/api/endpoints.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { RefusedByName } from '#main/api/network-failure.ts'

/** Why the service did not take a request: its limits are reached, or something about the request. */
export type Refusal =
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
export function refusalInAnswer({ message, feedback }: RawRequestedAnswer): Refusal {
  const faults = Object.entries(feedback.fail).map(([name, words]) => [name, wordsOf(words)] as const)
  return refusalByFeedback(faults, message, {
    kind: 'bad-request',
    message: 'The service does not take this request.',
  })
}

/** What the same feedback means under a status of refusal (field notes: answers and failures). */
export function refusalInFailure({ failure, faults }: RefusedByName): Refusal {
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
export function refusalInWords(failure: Failure): Refusal {
  const { said = '' } = failure
  const names = [...said.matchAll(naming)]
  const named = names.map((match, place) => {
    const from = match.index + match[0].length
    const words = said.slice(from, names[place + 1]?.index).trim()
    return [match[1] ?? '', words || said] as const
  })
  return refusalOf(named, failure)
}
