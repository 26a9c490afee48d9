import { randomUUID } from 'node:crypto'
import { isLive, liveIdOf } from '#shared/accounts/account.ts'
import { invalid } from '#shared/api/failure.ts'
import { accountDayOf } from '#shared/reports/answer.ts'
import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { checkedAlert } from '#shared/watch/alert-check.ts'
import { isFresh, mutedUntilOf } from '#shared/watch/alerts.ts'
import type { Alert, AlertEntry, AlertId, Mute, MuteId } from '#shared/watch/alerts.ts'
import type { FindingSubject, MuteOfAccount } from '#main/database/state/findings-repository.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'
import { FindingAnnouncer } from './finding-announcer.ts'
import type { FindingsContext } from './findings-context.ts'

/** Time (ms) of which dismissals say how often findings are wrong. */
const judgedFor = 90 * 86_400_000
/** Number of days that a mute can last. */
const longestMute = 366

/**
 * Alerts as entered, what they found, mutes, and their announcements. The calls are documented in
 * src-shared/bridge/calls/watch.ts. All methods throw `DeskFailure`.
 */
export class Findings implements Module {
  readonly name = 'findings'
  readonly #context: FindingsContext
  readonly #announcer: FindingAnnouncer
  readonly #followed: readonly (() => void)[]

  constructor(context: FindingsContext) {
    const { events } = context
    this.#context = context
    this.#announcer = new FindingAnnouncer(context)
    this.#followed = [
      events.on('findings/changed', () => this.#announcer.gather()),
      events.on('account/edited', () => this.#announcer.gather()),
      events.on('notifications/back', () => this.announceAgain()),
      events.on('settings/changed', ({ changed }) => {
        if (changed.includes('morningAt') || changed.includes('quietHours')) this.announceAgain()
      }),
    ]
  }

  readonly addAlert: Handler<'alerts/add'> = async ({ account, entry, id = randomUUID() as AlertId }) => {
    const createdAt = instantOf(this.#context.clock.now())
    const alert: Alert = { ...checked(entry), id, createdAt }
    await this.#context.store.run('alerts/add', { account: this.#ownerOf(account), alert })
    this.#changed('alerts/changed', account)
    return alert
  }

  readonly changeAlert: Handler<'alerts/change'> = async ({ account, id, entry }) => {
    const change = { account: this.#ownerOf(account), alert: id, entry: checked(entry) }
    const alert = await this.#context.store.run('alerts/change', change)
    this.#changed('alerts/changed', account)
    // What it found may not be watched any more.
    this.#changed('findings/changed', account)
    return alert
  }

  readonly removeAlert: Handler<'alerts/remove'> = async ({ account, id }) => {
    const removed = await this.#context.store.run('alerts/remove', {
      account: this.#ownerOf(account),
      alert: id,
    })
    this.#changed('alerts/changed', account)
    this.#changed('findings/changed', account)
    return removed
  }

  readonly list: Handler<'findings/list'> = async (wanted) => {
    const { store, clock } = this.#context
    const since = instantOf(clock.now() - judgedFor)
    const [{ findings: stored, more }, mutes, falseAlarms] = await Promise.all([
      store.run('findings/list', wanted),
      store.run('mutes/list', { account: null }),
      store.run('findings/false-alarms', { since }),
    ])
    const findings = this.#withMutes(stored, mutes)
    return { findings, more, fresh: findings.filter(isFresh).length, falseAlarms }
  }

  readonly since: Handler<'findings/since'> = async ({ account, day }) => {
    const owner = this.#ownerOf(account)
    const [stored, mutes] = await Promise.all([
      this.#context.store.run('findings/since', { account: owner, day }),
      this.#context.store.run('mutes/list', { account: owner }),
    ])
    return this.#withMutes(stored, mutes)
  }

  readonly fresh: Handler<'findings/fresh'> = async () => {
    const { store } = this.#context
    const unseen = await store.run('findings/unseen', undefined)
    const mutes = await store.run('mutes/list', { account: null })
    const fresh = this.#withMutes(unseen, mutes).filter(({ mutedUntil }) => mutedUntil === null)
    const [newest] = fresh
    return { count: fresh.length, newest: newest ? { id: newest.id, account: newest.account } : null }
  }

  readonly see: Handler<'findings/see'> = async ({ ids }) => {
    for (const account of await this.#context.store.run('findings/see', { ids }))
      this.#changed('findings/changed', account)
    return null
  }

  readonly dismiss: Handler<'findings/dismiss'> = async (dismissal) => {
    this.#changed('findings/changed', await this.#context.store.run('findings/dismiss', dismissal))
    return null
  }

  readonly listMutes: Handler<'mutes/list'> = async ({ account }) => {
    const mutes = await this.#context.store.run('mutes/list', { account: this.#ownerOf(account) })
    return mutes.map(({ id, subject, until }): Mute => ({ id, subject, until }))
  }

  readonly addMute: Handler<'mutes/add'> = async ({ account, subject, until }) => {
    const { accounts, store, clock } = this.#context
    const today = accountDayOf(clock.now(), accounts.account(account))
    if (until < today) throw invalid('This day is over. Choose a later day.', 'until')
    if (until > addDays(today, longestMute)) throw invalid('Choose a day within a year from now.', 'until')
    const mute: Mute = { id: randomUUID() as MuteId, subject, until }
    await store.run('mutes/add', { account: this.#ownerOf(account), ...mute })
    this.#changed('findings/changed', account)
    return mute
  }

  readonly removeMute: Handler<'mutes/remove'> = async ({ account, id }) => {
    await this.#context.store.run('mutes/remove', { account: this.#ownerOf(account), id })
    this.#changed('findings/changed', account)
    return null
  }

  readonly handlers = {
    'alerts/add': this.addAlert,
    'alerts/change': this.changeAlert,
    'alerts/remove': this.removeAlert,
    'findings/list': this.list,
    'findings/since': this.since,
    'findings/fresh': this.fresh,
    'findings/see': this.see,
    'findings/dismiss': this.dismiss,
    'mutes/list': this.listMutes,
    'mutes/add': this.addMute,
    'mutes/remove': this.removeMute,
  } satisfies Partial<Handlers>

  start(): void {
    this.#announcer.start()
  }

  wake(): void {
    this.#announcer.gather()
  }

  /** Announces what the desktop has not shown. */
  announceAgain(): void {
    void this.#announcer.flush()
  }

  async stop(): Promise<void> {
    for (const stop of this.#followed) stop()
    await this.#announcer.stop()
  }

  /** Findings of accounts that are there, with the mutes of today in the account's zone. */
  #withMutes<F extends FindingSubject>(
    stored: readonly F[],
    mutes: readonly MuteOfAccount[],
  ): readonly (F & { readonly mutedUntil: Day | null })[] {
    const { accounts, clock } = this.#context
    const live = accounts.list().filter(isLive)
    const today = new Map(live.map((account) => [account.id, accountDayOf(clock.now(), account)]))
    const own = new Map(live.map(({ id }) => [id, mutes.filter((mute) => mute.account === id)]))
    return stored.flatMap((finding) => {
      const day = today.get(finding.account)
      if (day === undefined) return []
      return [{ ...finding, mutedUntil: mutedUntilOf(finding, own.get(finding.account) ?? [], day) }]
    })
  }

  /** Alerts belong to the account, not to a data scope: another token does not end the user's interest. */
  #ownerOf(id: AccountId): AccountId {
    return liveIdOf(this.#context.accounts.account(id))
  }

  #changed(kind: 'alerts/changed' | 'findings/changed', account: AccountId): void {
    this.#context.events.emit({ kind, account: this.#ownerOf(account) })
  }
}

function checked(entry: AlertEntry): AlertEntry {
  const read = checkedAlert(entry)
  if (read.kind === 'fault') throw invalid(read.message, read.field)
  return read.entry
}
