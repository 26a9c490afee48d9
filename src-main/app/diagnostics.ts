import type { ExportProgress } from '#shared/exports/order.ts'
import type { Account } from '#shared/accounts/account.ts'
import type { Notice } from '#shared/app/state.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Handlers } from '#main/lib/module.ts'
import type { Exports } from '#main/exports/exports.ts'
import { saveText } from '#main/files/save-text.ts'
import { systemClock, withTimeout } from '#main/lib/async.ts'
import { namelessWords } from '#main/shell/notices.ts'
import type { Notices } from '#main/shell/notices.ts'
import { aboutNow } from '#main/shell/about.ts'
import type { Counts, Failed, ReportedFacts, Diagnostics } from '#main/shell/about.ts'
import type { Store } from '#main/database/open-store.ts'

/** A report of a problem is for when the disk does not answer, too. In milliseconds. */
const longestWait = 5000

export type DiagnosticsDeps = {
  readonly store: Pick<Store, 'run'>
  readonly accounts: readonly AccountId[]
  /** Those of this session. */
  readonly exports: readonly ExportProgress[]
}

type AboutParts = {
  readonly app: Parameters<typeof aboutNow>[0]
  readonly store: DiagnosticsDeps['store']
  readonly exported: Pick<Exports, 'list'>
  readonly accounts: Pick<AccountStore, 'list'>
  readonly notices: Pick<Notices, 'list'>
  /** The folder of downloads. */
  readonly downloads: () => Promise<string>
}

/** What Help says of the app, with the report of a problem. What is saved of that is what a person saw, not what came since. */
export function aboutHandlers(parts: AboutParts): Pick<Handlers, 'desk/about' | 'desk/save-problem-report'> {
  let shown: string | null = null
  const about = async () => {
    const { app, store, exported, accounts, notices } = parts
    const facts = await reportedFacts({ store, exports: exported.list() }, accounts.list(), notices.list())
    const made = await aboutNow(app, facts)
    shown = made.problemReport
    return made
  }
  return {
    'desk/about': about,
    'desk/save-problem-report': async () => {
      const text = shown ?? (await about()).problemReport
      return { file: await saveText(await parts.downloads(), 'Traffic Desk problem report', 'txt', text) }
    },
  }
}

/** What the report of a problem says of this desk. @param accounts all of them */
export async function reportedFacts(
  { store, exports }: Omit<DiagnosticsDeps, 'accounts'>,
  accounts: readonly Pick<Account, 'id' | 'name'>[],
  notices: readonly Notice[],
): Promise<Pick<ReportedFacts, 'accounts' | 'diagnostics' | 'notices' | 'now'>> {
  return {
    accounts: accounts.map(({ name }) => name),
    diagnostics: await diagnosticsOf({ store, accounts: accounts.map(({ id }) => id), exports }),
    notices: notices.map(namelessWords),
    now: systemClock.now(),
  }
}

/** Counts what is saved, and what failed by its kind alone. Null where the disk refuses, or takes too long. */
export async function diagnosticsOf(parts: DiagnosticsDeps): Promise<Diagnostics | null> {
  return withTimeout({ milliseconds: longestWait }, () => count(parts)).catch(() => null)
}

async function count({ store, accounts, exports }: DiagnosticsDeps): Promise<Diagnostics> {
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
    downloads: countsOf(downloads.map(({ state }) => state.kind)),
    failures: [
      ...failed(
        'Downloads',
        downloads.flatMap(({ state }) => (state.kind === 'failed' ? state.failure.kind : [])),
      ),
      ...failed(
        'Raw requests',
        stuck.map(({ state }) => (state.kind === 'refused' ? state.failure.kind : state.kind)),
      ),
      ...failed(
        'Exports',
        exports.flatMap(({ state }) => (state.kind === 'failed' ? state.failure.kind : [])),
      ),
    ],
  }
}

const failed = (what: Failed['what'], kinds: readonly Failed['kind'][]): readonly Failed[] =>
  [...new Set(kinds)].map((kind) => ({ what, kind, count: kinds.filter((item) => item === kind).length }))

function countsOf(states: readonly string[]): Counts {
  const counts: Record<string, number> = {}
  for (const state of states.toSorted()) counts[state] = (counts[state] ?? 0) + 1
  return counts
}
