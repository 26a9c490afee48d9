import type { Failure } from '#shared/api/failure.ts'
import { failureWords } from '#shared/texts/formats.ts'

/** The fields of the form, by the names that the main process uses in `failure.field`. */
export type EntryName = 'name' | 'address' | 'token'

const words: Readonly<Record<EntryName, string>> = {
  name: 'Give the account a name.',
  address: "Enter the service's address.",
  token: 'Enter the access token.',
}

/** The first field that is blank; null where none is. Everything else is the main process's to judge. */
export function missing(entered: Readonly<Record<EntryName, string>>): Failure | null {
  const blank = (['name', 'address', 'token'] as const).find((name) => entered[name] === '')
  return blank ? { kind: 'invalid', message: words[blank], field: blank } : null
}

/** What a failure to connect is called. */
export const titleOf = (failure: Failure): string => failureWords[failure.kind].title
