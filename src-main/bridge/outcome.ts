import * as v from 'valibot'
import { deskFailureKinds, serviceFailureKinds } from '../../src-shared/service/failure.ts'
import type { Failure } from '../../src-shared/service/failure.ts'

const failure = v.object({
  kind: v.picklist([...serviceFailureKinds, ...deskFailureKinds]),
  message: v.string(),
  said: v.exactOptional(v.string()),
  field: v.exactOptional(v.string()),
})

/** The failure that an error of a room carries; undefined for an error that no room foresaw. */
export function foreseen(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'AbortError') return { kind: 'cancelled', message: 'This was cancelled.' }
  const carried = v.safeParse(failure, 'failure' in error ? error.failure : undefined)
  return carried.success ? carried.output : undefined
}

/** What the person hears of an error that nobody foresaw; the rest of it belongs into the log alone. */
export const unforeseen: Failure = {
  kind: 'internal',
  message: 'Something went wrong inside Traffic Desk. What is kept is safe. Try again; the log says more.',
}

/** Input that breaks the schema of its call. `field` is where, such as `query.range`. */
export function refusedInput(issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): Failure {
  const [issue] = issues
  const field = v.getDotPath(issue)
  return { kind: 'invalid', message: wordsFor(issue), ...(field !== null && { field }) }
}

/** The schema's own words would repeat what was received, which may be a token; so only rules of ours speak. */
function wordsFor(issue: v.BaseIssue<unknown>): string {
  return issue.type === 'check' ? `${issue.message}.` : 'This input cannot be used here.'
}
