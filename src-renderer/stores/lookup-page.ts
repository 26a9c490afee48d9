import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'

/** One entry to choose: what it stands for, and what is read. */
export type Choice = { readonly value: string; readonly text: string }

/** A page of a list as it was answered. */
export type LookupPage = {
  readonly choices: readonly Choice[]
  /** How many match in all. */
  readonly results: number
  readonly pages: number
  readonly fetchedAt: Instant
  /** Why it could not be asked for anew: then these are of what is kept. */
  readonly failure: Failure | null
}

/** Where a list comes from. */
export type LookupSource = {
  readonly account: AccountId
  /** The path of its endpoint: what change events about it begin with. */
  readonly path: string
  /** What the list depends on besides what is typed; a list of something else is no longer of use. */
  readonly about: () => string
  readonly ask: (search: string | null, page: number) => Promise<Outcome<LookupPage>>
}

/** Each value once, where it stood first: a list that names one twice is drawn all the same. */
export function distinct(choices: readonly Choice[]): readonly Choice[] {
  const first = new Map<string, Choice>()
  for (const choice of choices) if (!first.has(choice.value)) first.set(choice.value, choice)
  return [...first.values()]
}
