import { failureOf } from '#shared/app/desk-failure.ts'
import type { RawDone } from '#shared/raw/listed.ts'
import type { RawDoneAnswer } from '#shared/api/answers.ts'
import type { Failure, FailureKind } from '#shared/api/failure.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import { NeverSent } from '#main/api/network-failure.ts'

/** What became of each report: null where it was done, else why not, in words. */
export type Outcomes = ReadonlyMap<RawReportId, string | null>

/** What raw/cancel and raw/remove answered of these reports (specification: errors, feedback). */
export function outcomesOf(answer: RawDoneAnswer, reports: readonly RawReportId[]): Outcomes {
  const { success, message, feedback } = answer
  const outcome = (id: RawReportId): string | null => {
    if (Object.hasOwn(feedback.fail, id)) return wordsOf(feedback.fail[id]) ?? plain(message)
    return success || Object.hasOwn(feedback.pass, id) ? null : plain(message)
  }
  return new Map(reports.map((id) => [id, outcome(id)]))
}

const wordsOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

const plain = (message: string): string => wordsOf(message) ?? 'The service refused.'

/** All of them failed for one reason, in the service's own words where it gave any. */
export function allFailed(reports: readonly RawReportId[], { said, message }: Failure): Outcomes {
  return new Map(reports.map((id) => [id, said ?? message]))
}

const doubtful: ReadonlySet<FailureKind> = new Set([
  'offline',
  'timed-out',
  'server-trouble',
  'malformed',
  'cancelled',
])

/** Whether the service may have done what it was asked for all the same: its answer was lost, or cannot be read. */
export function isInDoubt(error: unknown): boolean {
  return !(error instanceof NeverSent) && doubtful.has(failureOf(error).kind)
}

/** @param names names of the reports, where they are known */
export function doneOf(outcomes: Outcomes, names: ReadonlyMap<RawReportId, string>): RawDone {
  const all = [...outcomes]
  return {
    done: all.flatMap(([id, words]) => (words === null ? [id] : [])),
    failed: all.flatMap(([id, words]) => (words === null ? [] : [{ id, name: names.get(id) ?? '', words }])),
  }
}
