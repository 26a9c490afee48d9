import type { ExportProgress } from '../../src-shared/exports/order.ts'
import type { Account } from '../../src-shared/accounts/account.ts'
import type { Notice } from '../../src-shared/desk/state.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import { systemClock, withTimeout } from '../lib/waiting.ts'
import { newsId } from '../shell/news-in-window.ts'
import type { Counts, Failed, ReportedFacts, Tally } from '../shell/problem-report.ts'
import type { Store } from '../store/open-store.ts'

/** A report of a problem is for when the disk does not answer, too. In milliseconds. */
const longestWait = 5000

export type TallyParts = {
  readonly store: Pick<Store, 'run'>
  readonly accounts: readonly AccountId[]
  /** Those of this session. */
  readonly exports: readonly ExportProgress[]
}

/** What the report of a problem says of this desk. @param accounts all of them */
export async function reportedFacts(
  { store, exports }: Omit<TallyParts, 'accounts'>,
  accounts: readonly Pick<Account, 'id' | 'name'>[],
  notices: readonly Notice[],
): Promise<Pick<ReportedFacts, 'accounts' | 'tally' | 'notices' | 'now'>> {
  return {
    accounts: accounts.map(({ name }) => name),
    tally: await tallyOf({ store, accounts: accounts.map(({ id }) => id), exports }),
    // News names reports; how these stand is counted.
    notices: notices.filter(({ id }) => id !== newsId).map(({ title, text }) => `${title}. ${text}`),
    now: systemClock.now(),
  }
}

/** Counts what is saved, and what failed by its kind alone. Null where the disk refuses, or takes too long. */
export async function tallyOf(parts: TallyParts): Promise<Tally | null> {
  return withTimeout({ milliseconds: longestWait }, () => count(parts)).catch(() => null)
}

async function count({ store, accounts, exports }: TallyParts): Promise<Tally> {
  const { days } = await store.run('tables/sizes', undefined)
  const downloads = await store.run('downloads/list', undefined)
  const stuck = await store.run('raw-requests/stuck', undefined)
  const views = await Promise.all(accounts.map((account) => store.run('views/list', account)))
  const lists = await Promise.all(accounts.map((account) => store.run('raw-reports/known', { account })))
  // What left the list is remembered for a while.
  const reports = lists.flatMap((list) => list.reports.filter(({ listsWithout }) => listsWithout === 0))
  return {
    days,
    views: views.flat().length,
    reports: countsOf(reports.map(({ state }) => state)),
    downloads: countsOf(downloads.map(({ state }) => state.as)),
    failures: [
      ...failed(
        'Downloads',
        downloads.flatMap(({ state }) => (state.as === 'failed' ? state.failure.kind : [])),
      ),
      ...failed(
        'Raw requests',
        stuck.map(({ state }) => (state.as === 'refused' ? state.failure.kind : state.as)),
      ),
      ...failed(
        'Exports',
        exports.flatMap(({ state }) => (state.as === 'failed' ? state.failure.kind : [])),
      ),
    ],
  }
}

const failed = (what: Failed['what'], kinds: readonly Failed['kind'][]): readonly Failed[] =>
  [...new Set(kinds)].map((kind) => ({ what, kind, count: kinds.filter((each) => each === kind).length }))

function countsOf(states: readonly string[]): Counts {
  const counts: Record<string, number> = {}
  for (const state of states.toSorted()) counts[state] = (counts[state] ?? 0) + 1
  return counts
}
