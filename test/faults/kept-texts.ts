import type { AnswerToStore } from '#main/database/cache/answers-repository.ts'
import type { LiveAccount } from '#shared/accounts/account.ts'
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'

export const account: LiveAccount = {
  id: '11111111-1111-4111-8111-111111111111' as AccountId,
  name: 'Acme',
  kind: 'service',
  address: 'https://reports.example',
  bodyEncoding: 'json',
  dayZone: 'UTC',
  windows: { tables: null, overview: null, lookups: null },
  firstColumn: null,
}

/** Whose its figures are. */
export const dataScope = account.id as string as DataScopeId

/** How many questions there are: later answers take the place of earlier ones, longer and shorter. */
const questions = 7

/** A text whose every part says which one it is, so that a mixture of two shows. */
export const textOf = (number: number): string => `<${number}>`.repeat(1 + ((number * 7919) % 60_000))

export const numberOf = (text: string): number => Number(/^<(\d+)>/.exec(text)?.[1])

/** The answer with this number. */
export const answer = (number: number, text: string): AnswerToStore => ({
  dataScope,
  term: 0,
  key: `question ${number % questions}`,
  path: 'direct/browsers',
  range: null,
  fetchedAt: number as Instant,
  text,
  madeOf: '',
})
