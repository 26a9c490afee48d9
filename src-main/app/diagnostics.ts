import type { Job } from '#shared/app/jobs.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { Handlers } from '#main/lib/module.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import { saveText } from '#main/files/draft.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import { systemClock, withTimeout } from '#main/lib/async.ts'
import { namelessWords } from '#main/shell/notices.ts'
import type { Notices } from '#main/shell/notices.ts'
import { aboutNow } from '#main/shell/about.ts'
import type { StateCounts, Failed, DiagnosticCounts as Counted } from '#main/shell/about.ts'
import type { Store } from '#main/database/open-store.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Network } from './network.ts'

/** Maximum wait for the counts, in ms, because a problem report must work even if the disk hangs. */
const longestWait = 5000

export type AppBuild = Parameters<typeof aboutNow>[0]

/** Services and facts that the problem report needs. */
export type DiagnosticsContext = {
  readonly build: AppBuild
  readonly store: Store
  readonly accounts: Accounts
  readonly jobs: Jobs
  readonly notices: Notices
  readonly settings: Settings
  readonly shell: SystemShell
  readonly network: Network
}

/** Provides the About view of Help and the problem report. */
export class Diagnostics {
  readonly #context: DiagnosticsContext
  /** The problem report that the user saw, saved unchanged. */
  #shownReport: string | null = null

  constructor(context: DiagnosticsContext) {
    this.#context = context
  }

  readonly handlers = {
    'desk/about': () => this.#about(),
    'desk/notices': () => this.#context.shell.notices(),
    'desk/save-parts-list': async () =>
      this.#save('Traffic Desk parts', 'cdx.json', await this.#context.shell.partsList()),
    'desk/save-problem-report': async () => {
      const text = this.#shownReport ?? (await this.#about()).problemReport
      return this.#save('Traffic Desk problem report', 'txt', text)
    },
  } satisfies Partial<Handlers>

  async #about() {
    const { build, store, accounts, jobs, notices } = this.#context
    const listed = accounts.list()
    const ids = listed.map(({ id }) => id)
    const about = await aboutNow(build, {
      accounts: listed.map(({ name }) => name),
      diagnostics: await diagnosticsOf(store, ids, jobs.list()),
      notices: notices.list().map(namelessWords),
      forgiven: this.#forgiven(),
      now: systemClock.now(),
    })
    this.#shownReport = about.problemReport
    return about
  }

  /** Tolerated errors, once per service, listed under the first account of the service. */
  #forgiven(): readonly string[] {
    const { accounts, network } = this.#context
    const services = new Map<string, number>()
    for (const [place, { address }] of accounts.list().entries())
      if (!services.has(address)) services.set(address, place)
    return [...services].flatMap(([address, place]) =>
      network.forgivenBy(address).map((words) => `Account ${place + 1}: ${words}`),
    )
  }

  async #save(name: string, ending: string, text: string): Promise<{ readonly file: string }> {
    return { file: await saveText(await this.#context.settings.downloadFolder(), name, ending, text) }
  }
}

/** Counts saved data, and failures by kind. Null if the store fails or takes too long. */
export async function diagnosticsOf(
  store: Store,
  accounts: readonly AccountId[],
  jobs: readonly Job[],
): Promise<Counted | null> {
  const work = () => count(store, accounts, jobs)
  return await withTimeout({ milliseconds: longestWait }, work).catch(() => null)
}

async function count(store: Store, accounts: readonly AccountId[], jobs: readonly Job[]): Promise<Counted> {
  const { days } = await store.run('tables/sizes', undefined)
  const downloads = await store.run('downloads/list', undefined)
  const stuck = await store.run('raw-requests/stuck', undefined)
  const views = await Promise.all(accounts.map((account) => store.run('views/list', account)))
  const lists = await Promise.all(accounts.map((account) => store.run('raw-reports/known', { account })))
  // Reports that left the list remain stored for a while and are not counted.
  const reports = lists.flatMap((list) => list.reports.filter(({ listsWithout }) => listsWithout === 0))
  return {
    days,
    views: views.flat().length,
    reports: countsOf(reports.map(({ state }) => state)),
    downloads: countsOf(downloads.map(({ state }) => state.kind)),
    failures: [
      ...countFailures(
        'Downloads',
        downloads.flatMap(({ state }) => (state.kind === 'failed' ? state.failure.kind : [])),
      ),
      ...countFailures(
        'Raw requests',
        stuck.map(({ state }) => (state.kind === 'refused' ? state.failure.kind : state.kind)),
      ),
      ...countFailures(
        'Exports',
        jobs.flatMap(({ kind, state }) =>
          kind === 'export' && state.kind === 'failed' ? state.failure.kind : [],
        ),
      ),
    ],
  }
}

const countFailures = (what: Failed['what'], kinds: readonly Failed['kind'][]): readonly Failed[] =>
  [...new Set(kinds)].map((kind) => ({ what, kind, count: kinds.filter((item) => item === kind).length }))

function countsOf(states: readonly string[]): StateCounts {
  const counts: Record<string, number> = {}
  for (const state of states.toSorted()) counts[state] = (counts[state] ?? 0) + 1
  return counts
}
