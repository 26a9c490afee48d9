import { lifeOf } from '#shared/raw/life.ts'
import type { ListedReport } from '#shared/raw/listed.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { UsualDurations } from '#main/database/state/raw-list.ts'
import type { Downloads } from '../downloads/downloads.ts'
import type { Removals } from './pending-removals.ts'

/** Puts together what the desk knows of a report beside its row. */
export function listedReport(
  account: AccountId,
  row: RawListRow,
  known: {
    readonly downloads: Pick<Downloads, 'savedState'>
    readonly removals: Pick<Removals, 'undoUntil'>
    readonly usual: UsualDurations
  },
): ListedReport {
  return {
    row,
    life: lifeOf(row),
    saved: known.downloads.savedState(account, row.id),
    undoUntil: known.removals.undoUntil(account, row.id),
    usual: known.usual.get(row.type.toLowerCase()) ?? null,
  }
}
