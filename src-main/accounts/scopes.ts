import { randomUUID } from 'node:crypto'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Provisional, ScopeCheck } from '#shared/reports/answer.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId, InstanceId, Instant } from '#shared/values/ids.ts'
import type { Clock } from '#main/lib/async.ts'
import { cancelled } from '#main/lib/async.ts'
import { Lanes } from '#main/lib/lanes.ts'
import type { Clients } from './clients.ts'
import { entryId, instancesInWords } from './earlier.ts'
import { scopeOf } from './data-scopes.ts'
import type { DataScope, DataScopes } from './data-scopes.ts'
import type { Profiles } from './profiles.ts'
import { readScope } from './read-scope.ts'

/** For so long a check stands before what is asked for, in milliseconds. */
const checkHolds = 60_000

/** What has come waits no longer for its check while more is asked for, in milliseconds. */
const putOffMs = 20_000

/** So long after the last of what came it is checked, in milliseconds: a person who looks at a page may go offline with it. */
const quietMs = 1_000

/** A check that has begun. */
type Begun = Omit<ScopeCheck, 'session'> & { readonly term: number | undefined }

/**
 * Stores each result under its data scope. Instances are listed at most once a minute before requests, before provisional
 * results are added up, and one second after the last result. What came between two checks that found the same instances stays;
 * else it is deleted, and so is what a check came too late for (src-main/database/scope-checks.ts).
 */
export class Scopes {
  readonly #owners: DataScopes
  readonly #profiles: Profiles
  readonly #clients: Clients
  readonly #events: Emitter
  readonly #clock: Clock
  /** Requests and changes of one account: none begins in the middle of another. */
  readonly #lanes = new Lanes<AccountId>()
  /** How many checks have begun of each account, in this run of the app, and when the last of them did. */
  readonly #begun = new Map<AccountId, Pick<Begun, 'number' | 'startedAt'>>()
  readonly #checks = new Lanes<AccountId, Failure | null>()
  /** How often something has come for each account. */
  readonly #arrivals = new Map<AccountId, number>()
  /** When the first of what has come for an account came since its last check began. */
  readonly #waitingSince = new Map<AccountId, number>()
  readonly #session = randomUUID()
  readonly #ending = new AbortController()

  constructor(owners: DataScopes, profiles: Profiles, clients: Clients, events: Emitter, clock: Clock) {
    this.#owners = owners
    this.#profiles = profiles
    this.#clients = clients
    this.#events = events
    this.#clock = clock
  }

  /** Does something while neither token, address nor data scope of the account change. */
  exclusively<T>(account: AccountId, work: () => Promise<T>): Promise<T> {
    return this.#lanes.run(account, work)
  }

  /**
   * Changes an account's token or address to what has been verified to see these instances. What is still being asked
   * ends first, so that nothing goes out with the new token for the old data scope.
   * @throws what `change` throws; then the scope is looked at before anything is asked
   */
  async changing(
    account: LiveAccount,
    to: { readonly address: string; readonly instances: readonly InstanceId[] },
    change: () => Promise<void>,
  ): Promise<void> {
    await this.#clients.end(account.id)
    await this.exclusively(account.id, async () => {
      // Figures of an earlier version are of the token that is about to go, if that can still be asked.
      if (this.#owners.present(account.id)?.scope === null) await this.#learn(account).catch(() => undefined)
      await this.#clients.end(account.id)
      await this.#owners.doubt(account.id)
      await change()
      if (this.#profiles.has(account.id)) await this.take({ ...account, address: to.address }, to.instances)
    })
  }

  /**
   * Learns the scope where nothing may be stored before it is known, with the account's mutex held. Else it is looked at behind
   * what is asked for, where the last check was a while ago.
   * @throws what the client throws where it has to be known and cannot be learnt
   */
  async ensureKnown(account: LiveAccount): Promise<void> {
    const present = this.#owners.present(account.id)
    if (!present || present.scope === null || present.checkedAt === null) return this.#learn(account)
    this.checkWhenDue(account.id)
  }

  /**
   * Looks at the scope behind a request, where the last check began a while ago, or what has come waits for one: in the middle of
   * many requests it is never quiet.
   */
  checkWhenDue(account: AccountId): void {
    const now = this.#clock.now()
    const ago = now - (this.#begun.get(account)?.startedAt ?? -Infinity)
    const waited = now - (this.#waitingSince.get(account) ?? Infinity)
    // A time to come: the clock was set back since.
    if (ago < 0 || ago >= checkHolds || waited >= putOffMs) void this.confirm(account)
  }

  /**
   * Checks the instances of an account from now on: what has come until now is confirmed, or deleted where they are others.
   * Who waits for the same shares one check.
   * @returns why it could not be done; null where it was
   */
  confirm(account: AccountId): Promise<Failure | null> {
    return this.#checks.join(account, () => this.#check(account))
  }

  /**
   * A check by a list that is read for another reason: it begins now.
   * @returns hears of the instances on it; of null where not all of them are, which has all of them read
   */
  beside(account: AccountId): (instances: readonly InstanceId[] | null) => Promise<Failure | null> {
    const begun = this.#begin(account)
    return async (instances) => {
      if (!this.#profiles.has(account)) return cancelled().failure
      const live = this.#profiles.live(account)
      const known = this.#owners.present(account)?.scope
      // Another list is read once more, separately: this one may have changed while it was read.
      if (instances === null || known?.scope !== scopeOf(live, instances).scope) return this.confirm(account)
      return await this.#takeChecked(account, begun, instances)
    }
  }

  /**
   * Under which check something comes that is stored now. It is checked soon.
   * @param arrivedAt when it came, by this machine's clock: it may have waited for the disk since
   */
  provisional(account: AccountId, arrivedAt = this.#clock.now() as Instant): Provisional {
    const checks = this.#begun.get(account)?.number ?? 0
    if (!this.#waitingSince.has(account)) this.#waitingSince.set(account, arrivedAt)
    void this.#confirmWhenQuiet(account, checks)
    return { session: this.#session, checks, arrivedAt }
  }

  /** What was verified to be the account's scope is its scope from now on, with the account's mutex held. */
  async take(account: LiveAccount, instances: readonly InstanceId[], begun?: Begun): Promise<void> {
    const before = this.#owners.present(account.id)
    const check = begun && { session: this.#session, number: begun.number, startedAt: begun.startedAt }
    await this.#owners.take(account.id, scopeOf(account, instances), this.#clock.now() as Instant, check)
    const after = this.#owners.present(account.id)
    if (!before || !after) return
    if (before.id === after.id) {
      if (check) this.#events.emit({ kind: 'account/confirmed', account: account.id })
      return
    }
    // At once: until then, what runs for the scope before would go on beside the new one.
    this.#events.emit({ kind: 'account/other-owner', account: account.id })
    if (await this.#owners.dropEmpty())
      this.#events.emit({ kind: 'account/scopes-dropped', account: account.id })
    this.#emit(account, before, after)
  }

  /** Ends what is being looked at. */
  close(): void {
    this.#ending.abort()
  }

  /** Checks what came under these checks once nothing more has come for a moment, unless a later check has begun. */
  async #confirmWhenQuiet(account: AccountId, checks: number): Promise<void> {
    const arrival = (this.#arrivals.get(account) ?? 0) + 1
    this.#arrivals.set(account, arrival)
    try {
      await this.#clock.wait(quietMs, this.#ending.signal)
    } catch {
      return
    }
    const checked = (this.#begun.get(account)?.number ?? 0) > checks
    if (checked || this.#arrivals.get(account) !== arrival || !this.#profiles.has(account)) return
    await this.confirm(account)
  }

  #begin(account: AccountId): Begun {
    const number = (this.#begun.get(account)?.number ?? 0) + 1
    const startedAt = this.#clock.now() as Instant
    this.#begun.set(account, { number, startedAt })
    this.#waitingSince.delete(account)
    return { number, startedAt, term: this.#owners.present(account)?.term }
  }

  /** With the account's mutex held. @throws what the client throws */
  async #learn(account: LiveAccount): Promise<void> {
    const begun = this.#begin(account.id)
    const instances = await this.#read(account)
    if (this.#profiles.has(account.id)) await this.take(account, instances, begun)
  }

  async #check(account: AccountId): Promise<Failure | null> {
    try {
      const begun = this.#begin(account)
      return await this.#takeChecked(account, begun, await this.#read(this.#profiles.live(account)))
    } catch (error) {
      return failureOf(error)
    }
  }

  /** The instances of an account. @throws what `readScope` throws */
  async #read(account: LiveAccount): Promise<readonly InstanceId[]> {
    const client = await this.#clients.forAccount(account)
    return await readScope(client, this.#ending.signal, (instances) => {
      const known = this.#owners.present(account.id)?.scope
      return !known || known.scope === scopeOf(account, instances).scope
    })
  }

  async #takeChecked(
    account: AccountId,
    begun: Begun,
    instances: readonly InstanceId[],
  ): Promise<Failure | null> {
    try {
      return await this.exclusively(account, async () => {
        const present = this.#owners.present(account)
        // Another token, or another scope by now: this one says nothing of it.
        if (!this.#profiles.has(account) || present?.term !== begun.term || present?.checkedAt === null)
          return cancelled().failure
        await this.take(this.#profiles.live(account), instances, begun)
        return null
      })
    } catch (error) {
      return failureOf(error)
    }
  }

  /** Where earlier figures are left, the person hears why they are not added to. */
  #emit({ id, name, kind }: LiveAccount, before: DataScope, after: DataScope): void {
    const left = this.#profiles.list().find((account) => account.id === entryId(before.id))
    if (!left) return
    const notice = {
      id: `scope:${id}`,
      tone: 'information',
      title: `New figures of ${name} are kept separate`,
      text: `${whatChanged(before, after, kind)} Saved figures are never added to those of other instances: the earlier ones stay readable as “${left.name}”.`,
    } as const
    this.#events.emit({ kind: 'notice/shown', notice })
  }
}

function whatChanged(before: DataScope, after: DataScope, kind: LiveAccount['kind']): string {
  const subject = kind === 'sample' ? 'Sample data' : 'The token of this account'
  if (before.scope === null || after.scope === null)
    return 'The instances of the earlier figures are unknown.'
  if (before.scope.origin !== after.scope.origin) return 'This account has a different address now.'
  if (before.scope.instances === after.scope.instances)
    return `${subject} now shows other instances than before.`
  return `${subject} now shows ${instancesInWords(after.scope.instances)} instead of ${before.scope.instances.toLocaleString('en')}.`
}
