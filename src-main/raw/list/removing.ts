import { failureOf } from '#shared/app/desk-failure.ts'
import type { RawDone } from '#shared/raw/listed.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { allFailed, doneOf, isInDoubt, outcomesOf } from './feedback.ts'
import type { Outcomes } from './feedback.ts'
import type { RawReportsParts } from './raw-reports-parts.ts'

/** A list that tells of everything asked for before. */
export type FreshList = {
  readonly rows: readonly { readonly id: RawReportId }[]
  readonly complete: boolean
}

export type Removing = {
  readonly account: AccountId
  readonly reports: readonly RawReportId[]
  /** Called before and after the service is asked: lists from before are old. */
  readonly changed: () => void
  readonly fresh: () => Promise<FreshList>
}

/**
 * Removes reports (specification: raw/remove), asked for once. Where some fail, each is named with the service's words;
 * where the answer is lost, the list tells what became of them. Never rejects for what the service does.
 */
export async function removeReports(
  parts: Pick<RawReportsParts, 'accounts' | 'store'>,
  removing: Removing,
): Promise<RawDone> {
  const { account, reports, changed } = removing
  const { store } = parts
  const known = await store.run('raw-reports/known', { account })
  changed()
  // Written down first: that they go is no news then, even if the app ends before the answer comes.
  await store.run('raw-reports/mark', { account, reports, removed: true })
  const outcomes = await askToRemove(parts, removing).finally(changed)
  const done = doneOf(outcomes, new Map(known.reports.map(({ id, name }) => [id, name])))
  await store.run('raw-reports/let-go', { account, reports: done.done })
  return done
}

async function askToRemove(
  { accounts }: Pick<RawReportsParts, 'accounts'>,
  removing: Removing,
): Promise<Outcomes> {
  const { account, reports } = removing
  const [only, ...others] = reports
  if (only === undefined) return new Map()
  try {
    const client = await accounts.clientFor(account)
    const raw = others.length === 0 ? only : reports
    const { answer } = await client.call('raw/remove', { raw })
    return outcomesOf(answer, reports)
  } catch (error) {
    return isInDoubt(error) ? await lookAfter(removing, error) : allFailed(reports, failureOf(error))
  }
}

async function lookAfter({ reports, fresh, changed }: Removing, lost: unknown): Promise<Outcomes> {
  try {
    // What is being fetched may have begun before.
    changed()
    const { rows, complete } = await fresh()
    const there = new Set(rows.map(({ id }) => id))
    const words = (id: RawReportId) => {
      if (there.has(id)) return 'The answer was lost; the report is still in the list.'
      return complete ? null : failureOf(lost).message
    }
    return new Map(reports.map((id) => [id, words(id)]))
  } catch {
    return allFailed(reports, failureOf(lost))
  }
}
