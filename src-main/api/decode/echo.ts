import type { Answers, Echo } from '#shared/api/answers.ts'
import type { AnswerKind } from '#shared/api/endpoints.ts'
import { dayFromWire } from '#shared/values/day.ts'
import { ServiceFailure } from '../service-failure.ts'
import { decodeText } from '../text.ts'

type Given = Readonly<Record<string, unknown>>

/** What an answer echoes of what it was asked; nothing where its kind has no echo. */
function echoOf(answer: Answers[AnswerKind]): Echo {
  if (!('query' in answer)) return {}
  const { query } = answer
  return 'echo' in query && typeof query.echo === 'object' && query.echo !== null ? { ...query.echo } : query
}

/** An id without the zeros before it, which a service may drop that takes it for a number. */
const plainNumber = (id: string) => id.replace(/^0+(?=\d)/, '')

/** The instance that is echoed, where that is another one; an entry for all, or zero, says that none was given. */
function otherInstance(given: unknown, echoed: unknown): string | undefined {
  if (typeof echoed !== 'string') return undefined
  const isNone = typeof given !== 'string' || given === ''
  const isOther = isNone ? /^0*[1-9]\d*$/.test(echoed) : plainNumber(echoed) !== plainNumber(given)
  return isOther ? echoed : undefined
}

const letters = (text: string) => text.normalize('NFC').trim()

/** The text that is echoed, where that is another one. Services echo it encoded or not, so that either will do. */
function otherText(given: unknown, echoed: unknown): string | undefined {
  if (typeof echoed !== 'string' || typeof given !== 'string' || given === '') return undefined
  return [given, decodeText(given)].some((value) => letters(value) === letters(echoed)) ? undefined : echoed
}

function otherDay(given: unknown, echoed: unknown): string | undefined {
  const day = dayFromWire(echoed)
  return day === undefined || given === undefined || day === given ? undefined : day
}

/** Parameters that decide what figures are about, and what an echo says of them that was not asked. */
const compared = {
  start: otherDay,
  end: otherDay,
  instance: otherInstance,
  source: otherText,
  campaign: otherText,
} as const

const shortened = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60)}…`)

/**
 * Checks that an answer is about what was asked (specification: query echo). What is not echoed is not checked.
 * @throws ServiceFailure of kind `malformed` where it says that it is about something else: its figures are other figures
 */
export function checkEcho(given: Given, answer: Answers[AnswerKind]): void {
  const echo = echoOf(answer)
  for (const [name, otherThan] of Object.entries(compared)) {
    const other = otherThan(given[name], echo[name])
    if (other === undefined) continue
    const requested = given[name] === undefined ? `no ${name}` : `${name} ${shortened(String(given[name]))}`
    throw new ServiceFailure({
      kind: 'malformed',
      message:
        `The service answered another question: for ${name} ${shortened(other)}, where ${requested} was asked for. ` +
        'Nothing of its answer is saved. Try again; if it stays so, tell the people who run the service.',
    })
  }
}
