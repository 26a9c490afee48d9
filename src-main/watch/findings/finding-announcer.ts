import { join } from 'node:path'
import * as v from 'valibot'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { isLive } from '#shared/accounts/account.ts'
import { accountDayOf } from '#shared/reports/answer.ts'
import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { findingId } from '#shared/watch/alert-schemas.ts'
import { isStanding, mutedUntilOf } from '#shared/watch/alerts.ts'
import type { FindingId } from '#shared/watch/alerts.ts'
import { findingWithRuleName } from '#shared/watch/rule-mix.ts'
import type { MuteOfAccount, UntoldFinding } from '#main/database/state/findings-repository.ts'
import { Announcer, maxSingly } from '#main/lib/announcer.ts'
import { Timer } from '#main/lib/async.ts'
import { ShownLog } from '#main/lib/shown-log.ts'
import type { FindingsContext } from './findings-context.ts'
import { dueAt, isQuiet, nextTimeOfDay } from './telling-times.ts'

/** Findings are gathered until none came for this time (ms), because alerts are evaluated one after the other. */
const gatherTime = 10_000
/** If the newest day of a waiting finding is at least this many days old, all findings come in one notification. */
const longAway = 21

type FindingKey = readonly [FindingId]

const parts = v.tuple([findingId])

/** Log of shown findings in the profile folder. */
export const findingLog = (folder: string): ShownLog<FindingKey> =>
  new ShownLog(join(folder, 'told-findings.log'), (read) => {
    const key = v.safeParse(parts, read)
    return key.success ? key.output : undefined
  })

/**
 * Announces findings once, outside quiet hours, and once more if they still stand when a mute ends. What ended, was seen
 * or was dismissed before is not announced.
 */
export class FindingAnnouncer {
  readonly #context: FindingsContext
  readonly #announcer: Announcer<UntoldFinding, FindingKey>
  readonly #timer: Timer
  #gathersUntil = 0
  #hasStarted = false
  #hasEnded = false

  constructor(context: FindingsContext) {
    const { clock, accounts, news, folder } = context
    this.#context = context
    this.#timer = new Timer(clock, () => void this.flush())
    this.#announcer = new Announcer<UntoldFinding, FindingKey>({
      ...{ clock, log: findingLog(folder), keyOf: ({ id }) => [id] as const },
      groups: () => this.#groups(),
      mark: async (keys) => {
        const toldAt = instantOf(clock.now())
        await context.store.run('findings/told', { ids: keys.map(([id]) => id), toldAt })
      },
      // The account may have been removed with its findings.
      stillCurrent: (found) => {
        const ids = new Set(accounts.list().map(({ id }) => id))
        return found.filter(({ account }) => ids.has(account))
      },
      show: (findings, handing) =>
        news.announceFindings(
          findings.map(({ telling: _, waitsFrom: __, ...finding }) => ({ ...finding, mutedUntil: null })),
          handing,
        ),
    })
  }

  start(): void {
    this.#hasStarted = true
    this.gather()
  }

  /** Announces what waits once no more findings come. */
  gather(): void {
    if (!this.#hasStarted || this.#hasEnded) return
    this.#gathersUntil = this.#context.clock.now() + gatherTime
    this.#timer.set([this.#gathersUntil])
  }

  /** Announces what waits and is due. Never rejects. */
  async flush(): Promise<void> {
    if (this.#hasStarted) await this.#announcer.flush()
  }

  async stop(): Promise<void> {
    this.#hasEnded = true
    this.#timer.stop()
    await this.#announcer.stop()
  }

  async #groups(): Promise<readonly (readonly UntoldFinding[])[]> {
    const { store, settings, clock } = this.#context
    const now = clock.now()
    // A clock that was set back must not gather for ever.
    if (this.#gathersUntil > now && this.#gathersUntil - now <= gatherTime) {
      this.#setTimer([this.#gathersUntil])
      return []
    }
    const live = new Map(
      this.#context.accounts
        .list()
        .filter(isLive)
        .map((account) => [account.id, account]),
    )
    const mutes = await this.#endMutes(live, now)
    const untold = await store.run('findings/untold', undefined)
    const silent = untold.filter(
      (finding) => !isStanding(finding) || finding.seen || finding.dismissed !== null,
    )
    const { morningAt, quietHours, ruleNames } = await settings.read()
    const loud = untold.filter((finding) => !silent.includes(finding) && !isMuted(finding, live, mutes, now))
    const moments = loud.map((finding) => dueAt(finding, now, morningAt))
    const isQuietNow = isQuiet(now, quietHours)
    if (isQuietNow && quietHours) moments.push(nextTimeOfDay(now, quietHours.to))
    if (loud.length > 0 || mutes.length > 0) this.#setTimer(moments.filter((moment) => moment > now))
    if (silent.length > 0) {
      const ids = silent.map(({ id }) => id)
      await store.run('findings/told', { ids, toldAt: instantOf(now) })
    }
    if (isQuietNow) return []
    const due = loud.filter((finding) => dueAt(finding, now, morningAt) <= now)
    const away = [...silent, ...due].some(({ account, day }) => isLongAgo(day, live.get(account), now))
    return groupsOf(
      due.map((finding) => findingWithRuleName(finding, ruleNames)),
      away,
    )
  }

  /** Ends mutes that are over. @returns the others */
  async #endMutes(live: ReadonlyMap<AccountId, LiveAccount>, now: number): Promise<readonly MuteOfAccount[]> {
    const { store, events } = this.#context
    const mutes = await store.run('mutes/list', { account: null })
    const isOver = ({ account: id, until }: MuteOfAccount) => {
      const account = live.get(id)
      return account !== undefined && until < accountDayOf(now, account)
    }
    const over = mutes.filter(isOver)
    if (over.length === 0) return mutes
    const ended = over.map(({ id, until }) => ({
      id,
      endedAt: instantOf(Math.min(now, startOf(addDays(until, 1)))),
    }))
    await store.run('mutes/end', { ended })
    for (const account of new Set(over.map((mute) => mute.account)))
      events.emit({ kind: 'findings/changed', account })
    return mutes.filter((mute) => !isOver(mute))
  }

  #setTimer(moments: readonly number[]): void {
    if (!this.#hasEnded) this.#timer.set(moments)
  }
}

/** Beginning of a day by the computer's clock. */
const startOf = (day: Day): number => new Date(`${day}T00:00:00`).getTime()

function isMuted(
  finding: UntoldFinding,
  live: ReadonlyMap<AccountId, LiveAccount>,
  mutes: readonly MuteOfAccount[],
  now: number,
): boolean {
  const account = live.get(finding.account)
  const own = mutes.filter((mute) => mute.account === finding.account)
  return account !== undefined && mutedUntilOf(finding, own, accountDayOf(now, account)) !== null
}

const isLongAgo = (day: Day, account: LiveAccount | undefined, now: number): boolean =>
  account !== undefined && addDays(day, longAway) <= accountDayOf(now, account)

/** One notification for each finding and one for those of the morning, or one for all. */
function groupsOf(due: readonly UntoldFinding[], isOne: boolean): readonly (readonly UntoldFinding[])[] {
  if (isOne || due.length > maxSingly) return [due]
  const morning = due.filter(({ telling }) => telling === 'morning')
  return [morning, ...due.filter(({ telling }) => telling === 'at-once').map((finding) => [finding])]
}
