import { failureOf } from '#shared/api/failure.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { Failure, FailureKind } from '#shared/api/failure.ts'
import { withSignal } from '#main/lib/async.ts'

const forAll: ReadonlySet<FailureKind> = new Set([
  'offline',
  'refused-token',
  'no-token',
  'no-keychain',
  'proxy-sign-in',
  'disk',
])

/** Whether the account's other views would fare no better: its turn is over until something changes. */
export const endsTurn = ({ kind }: Failure): boolean => forAll.has(kind)

/**
 * Keeps what a view shows, one query after the other. One that is refused for its own sake does not keep the others from
 * being kept.
 * @returns why not everything could be kept, the first reason; null where it is
 */
export async function storeAll(
  queries: readonly ReportQuery[],
  storeOne: (query: ReportQuery) => Promise<void>,
  signal: AbortSignal,
): Promise<Failure | null> {
  let first: Failure | null = null
  for (const query of queries) {
    try {
      await withSignal(signal, () => storeOne(query))
    } catch (error) {
      const failure = failureOf(error)
      if (signal.aborted || endsTurn(failure)) return failure
      first ??= failure
    }
  }
  return first
}
