import * as v from 'valibot'
import type { Failure } from '#shared/api/failure.ts'

/** Input that breaks the schema of its call. `field` is where, such as `query.range`. */
export function refusedInput([issue]: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): Failure {
  const field = v.getDotPath(issue)
  return { kind: 'invalid', message: wordsFor(issue), ...(field !== null && { field }) }
}

/** The schema's own words would repeat what was received, which may be a token; so only rules of ours speak. */
function wordsFor(issue: v.BaseIssue<unknown>): string {
  return issue.type === 'check' ? `${issue.message}.` : 'This input cannot be used here.'
}
