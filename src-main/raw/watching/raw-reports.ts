import type { RawSummary } from '../../../src-shared/raw/events.ts'
import { isRunning, lifeOf } from '../../../src-shared/raw/life.ts'
import type { RawDone, RawListAnswer, RawListQuery, RawReportAnswer } from '../../../src-shared/raw/listed.ts'
import type { Failure } from '../../../src-shared/service/failure.ts'
import type { RawListRow } from '../../../src-shared/service/answers.ts'
import type { AccountId, Instant, RawReportId } from '../../../src-shared/values/ids.ts'
import type { AccountChange } from '../../accounts/account-store.ts'
import { withTimeout } from '../../lib/async.ts'
import { cancelReport } from '../list/cancelling.ts'
import { listAnswer } from '../list/list-answers.ts'
import type { RawReportsParts } from '../list/raw-reports-parts.ts'
import { Removals } from '../list/pending-removals.ts'
import { removeReports } from '../list/removing.ts'
import { reportAnswer } from '../list/report-answers.ts'
import { Announcer } from './announcer.ts'
import type { Refreshed } from './refresh.ts'
import { Refreshing } from './refresh-rounds.ts'
import type { Attempt } from './refresh-rounds.ts'
import { Watcher } from './watcher.ts'

type OfAccount = { readonly account: AccountId }
type OneReport = OfAccount & { readonly report: RawReportId }
type SomeReports = OfAccount & { readonly reports: readonly RawReportId[] }

/** A report that the service accepted just now. */
export type AcceptedReport = OneReport & Pick<RawListRow, 'name' | 'type' | 'instance'>

/** The list of raw reports, and what watches it. Everything throws `DeskFailure`s and the service's own. */
export type RawReports = {
  /** A page of the kept list; `force` asks the service anew, and `raw/changed` tells when it has answered. */
  readonly list: (
    asked: OfAccount & { readonly query: RawListQuery; readonly force: boolean },
  ) => Promise<RawListAnswer>
  readonly report: (asked: OneReport & { readonly force: boolean }) => Promise<RawReportAnswer>
  /** A report's row in the kept list; null where it is not in it. */
  readonly known: (account: AccountId, report: RawReportId) => Promise<RawListRow | null>
  readonly cancel: (asked: OneReport) => Promise<RawDone>
  /** Removes reports in a few seconds; `raw/removed` tells what became of it. */
  readonly remove: (asked: SomeReports) => void
  readonly undoRemove: (asked: SomeReports) => readonly RawReportId[]
  /** A request was accepted: its report is watched from now on. */
  readonly accepted: (report: AcceptedReport) => Promise<void>
  /** A list that tells of everything that was asked of the service before now: for whoever lost an answer. */
  readonly fresh: (account: AccountId) => Promise<Refreshed>
  readonly summary: () => Promise<RawSummary>
  /** Why the list could not be had when it was last asked for; null where it could, undefined before the first time. */
  readonly lastFailure: (account: AccountId) => Failure | null | undefined
  /** Begins to watch, and announces what happened while the app was closed. */
  readonly begin: () => void
  /** The machine woke up, or found a network, or the service is back. */
  readonly retryNow: () => void
  /** The service of one account is back: its list is asked for, and no other. */
  readonly wake: (account: AccountId) => void
  /** Stops polling by itself, or begins to again: the person wants quiet. What they look at is asked for all the same. */
  readonly pause: (paused: boolean) => void
  /** Whether something is announced has changed, or something can be shown again. */
  readonly announceAgain: () => void
  readonly close: () => Promise<void>
}

/** The first polls of a start, or after sleep, are waited for so long, so that many become one summary. */
const together = 20_000
/** A kept list that is older is asked for anew when a person looks at it, and no more often; in milliseconds. */
const staleAfter = 30_000
/** How long removals are waited for when the app closes, in milliseconds. */
const lastWait = 5_000

export function createRawReports(parts: RawReportsParts): RawReports {
  const { store, accounts, emit, clock } = parts
  const announcer = new Announcer(parts)
  const refreshing = new Refreshing(parts, (account, attempt) => void ended(account, attempt))
  const watcher = new Watcher(parts, refreshing)
  const changed = (account: AccountId) => emit('raw/changed', { account })
  const removals = new Removals({ clock, changed, send: sendRemoval })

  async function ended(account: AccountId, attempt: Attempt): Promise<void> {
    await watcher.ended(account, attempt)
    changed(account)
    await announcer.flush()
  }

  async function sendRemoval(account: AccountId, reports: readonly RawReportId[]): Promise<void> {
    const removing = {
      account,
      reports,
      changed: () => refreshing.changed(account),
      fresh: () => refreshing.fresh(account),
    }
    const done = await removeReports(parts, removing).catch(() => null)
    // Where the store refuses, nothing was sent.
    if (done) emit('raw/removed', { account, ...done })
    changed(account)
    void watcher.poll(account)
  }

  const cancelling = new Map<string, Promise<RawDone>>()

  /** Asked for again while it is being asked for, it is asked for once. */
  function cancelOnce({ account, report }: OneReport): Promise<RawDone> {
    const key = JSON.stringify([account, report])
    const running =
      cancelling.get(key) ??
      cancelReport(parts, { account, report }, () => refreshing.changed(account)).finally(() => {
        cancelling.delete(key)
        void watcher.poll(account)
      })
    cancelling.set(key, running)
    return running
  }

  /** A person looks: what is old is asked for anew, but not again and again where that fails. */
  function isDue(account: AccountId): boolean {
    const triedAt = refreshing.triedAt(account)
    return triedAt === null || Math.abs(clock.now() - triedAt) > staleAfter
  }

  async function lookedAt(account: AccountId): Promise<void> {
    if (await store.run('raw-announcements/look', { account })) changed(account)
  }

  const stopFollowing = accounts.onChange((change) => void follow(change).catch(() => undefined))

  async function follow({ kind, account }: AccountChange): Promise<void> {
    if (account === null) return
    switch (kind) {
      case 'activated':
        return begun && isWatched(account) ? watcher.poll(account) : undefined
      case 'renewed':
        refreshing.renewed(account)
        try {
          await store.run('raw-reports/begin-anew', { account })
        } finally {
          // Watched all the same where the store refuses.
          if (begun && isWatched(account)) await watcher.poll(account)
        }
        return
      case 'confirmed':
      case 'other-owner':
        return undefined
      case 'removed':
        removals.forget(account)
        watcher.forget(account)
        return refreshing.forget(account)
    }
  }

  let begun = false
  /** The sample's service is started only for who asks for it; what ran there has ended with the last start. */
  const isWatched = (account: AccountId) =>
    accounts
      .list()
      .some(
        ({ id, kind, tokenPlace = 'keychain' }) =>
          id === account && kind === 'service' && !['absent', 'elsewhere'].includes(tokenPlace),
      )

  return {
    list: async ({ account, query, force }) => {
      accounts.account(account)
      if (force || isDue(account)) void watcher.poll(account)
      const state = () => ({
        refreshing: refreshing.isRunning(account),
        failure: refreshing.failureOf(account),
      })
      const answer = await listAnswer(parts, removals, account, query, state)
      void lookedAt(account).catch(() => undefined)
      return answer
    },
    report: async (asked) => {
      const answer = await reportAnswer(parts, removals, asked)
      const { report, listed } = answer
      // The list does not know yet: what became of a report is told by lists.
      const isNews = isRunning(listed.life.state) && !isRunning(lifeOf(report).state)
      if (isNews) void watcher.poll(asked.account)
      return answer
    },
    known: async (account, report) => {
      const kept = await store.run('raw-reports/read', { account, report })
      return kept?.listed === true ? kept.row : null
    },
    cancel: async (asked) => {
      accounts.account(asked.account)
      return await cancelOnce(asked)
    },
    remove: ({ account, reports }) => removals.remove(account, reports),
    undoRemove: ({ account, reports }) => removals.undo(account, reports),
    accepted: async ({ account, report, name, type, instance }) => {
      refreshing.changed(account)
      const now = clock.now() as Instant
      const never = { created: null, failed: null, timed_out: null, cancelled: null, expires: null }
      const requested = new Date(now).toISOString()
      const row = {
        ...{ id: report, name, type, instance, requested, status: 'In Progress' },
        ...{ ...never, unknown: {} },
      }
      await store.run('raw-reports/expect', { account, row, at: now })
      changed(account)
      void watcher.poll(account)
    },
    fresh: (account) => refreshing.fresh(account),
    summary: async () => {
      const summary = await store.run('raw-announcements/summary', undefined)
      const running = summary.running.filter(
        ({ account }) => isWatched(account) || refreshing.hasKept(account),
      )
      return { ...summary, running }
    },
    lastFailure: (account) =>
      refreshing.triedAt(account) === null ? undefined : refreshing.failureOf(account),
    begin: () => {
      begun = true
      const ids = accounts.list().map(({ id }) => id)
      const polls = ids.filter(isWatched).map((account) => watcher.poll(account))
      void announcer.hold(Promise.all(polls), together)
    },
    retryNow: () => {
      if (begun) void announcer.hold(watcher.pollAll(), together)
    },
    wake: (account) => {
      if (begun) void announcer.hold(watcher.wake(account), together)
    },
    pause: (paused) => watcher.pause(paused),
    announceAgain: () => void announcer.flush(),
    close: async () => {
      stopFollowing()
      await withTimeout({ milliseconds: lastWait, clock }, () => removals.close()).catch(() => undefined)
      watcher.close()
      await refreshing.close()
      await announcer.close()
    },
  }
}
