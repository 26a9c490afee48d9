import { lifeOf } from '#shared/raw/life.ts'
import type { ListedReport, SavedState } from '#shared/raw/listed.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { UsualDurations } from '#main/database/state/usual-durations.ts'
import type { Removals } from './pending-removals.ts'

/** Puts together what the desk knows of a report beside its row. */
export function listedReport(
  account: AccountId,
  row: RawListRow,
  known: {
    readonly saved: ReadonlyMap<RawReportId, SavedState>
    readonly removals: Pick<Removals, 'undoUntil'>
    readonly usual: UsualDurations
  },
): ListedReport {
  return {
    row,
    life: lifeOf(row),
    saved: known.saved.get(row.id) ?? 'none',
    undoUntil: known.removals.undoUntil(account, row.id),
    usual: known.usual.get(row.type.toLowerCase()) ?? null,
  }
}
