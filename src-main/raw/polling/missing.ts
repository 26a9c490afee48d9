import { failureOf } from '#shared/app/desk-failure.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { KnownReport } from '#main/database/state/raw-reports-repository.ts'
import { withTimeout } from '#main/lib/async.ts'
import type { RawReportsParts } from '../list/raw-reports-parts.ts'
import { fetchRecord, rowOf } from '../list/report-record.ts'

/** What the service says of reports that a list has not. */
export type LookedFor = {
  /** Those that it knows all the same, as rows. */
  readonly found: readonly RawListRow[]
  /** Those that it does not know. */
  readonly gone: ReadonlySet<RawReportId>
}

/** Of so many missing reports the service is asked one by one; the others wait for the next list. */
const maxAsked = 8
/** How long one of them is waited for, in milliseconds. */
const milliseconds = 10_000

/** Known reports that a list should have and has not: what was removed here, and what has expired, is left alone. */
export function missingFrom(
  rows: readonly RawListRow[],
  known: readonly KnownReport[],
  now: number,
): readonly KnownReport[] {
  const here = new Set(rows.map(({ id }) => id))
  const isOver = ({ expires }: KnownReport) => expires !== null && Date.parse(expires) <= now
  const isMissed = (knownReport: KnownReport) =>
    !here.has(knownReport.id) &&
    !knownReport.removedHere &&
    !knownReport.told.includes('disappeared') &&
    !isOver(knownReport)
  return known.filter(isMissed)
}

/** Asks the service for reports that are missing: one row left out by mistake is no report that disappeared. */
export async function lookFor(
  parts: Pick<RawReportsParts, 'accounts' | 'store' | 'clock'>,
  account: AccountId,
  missing: readonly KnownReport[],
  signal: AbortSignal,
): Promise<LookedFor> {
  const found: RawListRow[] = []
  const gone = new Set<RawReportId>()
  const one = async ({ id: report }: KnownReport) => {
    try {
      const asked = { account, report, priority: 'background' } as const
      const record = await withTimeout({ milliseconds, clock: parts.clock, signal }, (limited) =>
        fetchRecord(parts, { ...asked, signal: limited }),
      )
      found.push(rowOf(record))
    } catch (error) {
      // Any other failure says nothing of the report.
      if (failureOf(error).kind === 'not-found') gone.add(report)
    }
  }
  await Promise.all(missing.slice(0, maxAsked).map(one))
  return { found, gone }
}
