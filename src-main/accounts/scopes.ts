import { randomUUID } from 'node:crypto'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Provisional, ScopeCheck } from '#shared/reports/answer.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId, InstanceId, Instant } from '#shared/values/ids.ts'
import type { Clock } from '#main/lib/async.ts'
import { cancelled } from '#main/lib/async.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import { Lanes } from '#main/lib/lanes.ts'
import type { Clients } from './clients.ts'
import { entryId, instancesInWords } from './earlier.ts'
import { scopeOf } from './data-scopes.ts'
import type { DataScope, DataScopes, Scope } from './data-scopes.ts'
import type { Profiles } from './profiles.ts'
import { readScope } from './read-scope.ts'

/** For so long a check stands before what is asked for, in milliseconds. */
const checkHolds = 60_000

/** What has come waits no longer for its check while more is asked for, in milliseconds. */
const putOffMs = 20_000

/** So long after the last of what came it is checked, in milliseconds: a person who looks at a page may go offline with it. */
const quietMs = 1_000

/**
 * A list of instances that is empty, or has lost more than half of them, is believed when it was read again so long after, in
 * milliseconds. Services list none for two minutes while their tables answer as ever. A token that really sees so few waits as long;
 * until then its figures are marked, and added to nothing.
 */
const doubtsFor = 5 * 60_000

/** Pause before such a list is read again, in milliseconds: what came in between is still confirmed by the next check. */
const rereadsAfter = 30_000

/** More checks than are made in that time. */
const maxDoubted = 100

/** Lists of an account's instances that are not believed yet. */
type Doubted = {
  /** The last of them, and since when it has been the same. */
  readonly scope: string
  readonly since: number
  /** Whether all of them were empty. */
  readonly isEmpty: boolean
  readonly checks: readonly Begun[]
}

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
  readonly #doubted = new Map<AccountId, Doubted>()
  readonly #rereading = new Set<AccountId>()
  /** Accounts for which something came that counts nothing, since a list was last believed. */
  readonly #gotNothing = new Set<AccountId>()
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
      // What the token before was shown says nothing of this one.
      this.#doubted.delete(account.id)
      await change()
      if (!this.#profiles.has(account.id)) return
      const changed = { ...account, address: to.address }
      // An empty list is read again before anything is asked.
      if (to.instances.length > 0 || !this.#isShrunken(account.id, scopeOf(changed, [])))
        await this.take(changed, to.instances)
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

  /** Whether the account's list of instances is not believed: what comes meanwhile is not confirmed. */
  isDoubted(account: AccountId): boolean {
    return this.#doubted.has(account)
  }

  /** Something came that counts nothing, as for a token without instances. */
  noteNothing(account: AccountId): void {
    this.#gotNothing.add(account)
  }

  /** What was verified to be the account's scope is its scope from now on, with the account's mutex held. */
  async take(account: LiveAccount, instances: readonly InstanceId[], begun?: Begun): Promise<void> {
    const before = this.#owners.present(account.id)
    const check = begun && this.#checkOf(begun)
    const wasDoubted = this.#doubted.delete(account.id)
    this.#gotNothing.delete(account.id)
    await this.#owners.take(account.id, scopeOf(account, instances), this.#clock.now() as Instant, check)
    const after = this.#owners.present(account.id)
    if (!before || !after) return
    if (before.id === after.id) {
      if (check) this.#events.emit({ kind: 'account/confirmed', account: account.id })
      if (wasDoubted) this.#events.emit({ kind: 'account/doubted', account: account.id, isDoubted: false })
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
    if (!this.#profiles.has(account.id)) return
    // Another token may see fewer. None at all is doubtful here, too.
    const doubt = instances.length > 0 ? null : this.#doubt(account, begun, instances)
    if (doubt) throw new ServiceFailure(doubt)
    await this.take(account, instances, begun)
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
        const live = this.#profiles.live(account)
        const doubt = this.#doubt(live, begun, instances)
        if (doubt) return doubt
        await this.#endDoubt(live, instances)
        await this.take(live, instances, begun)
        return null
      })
    } catch (error) {
      return failureOf(error)
    }
  }

  /** Why a list of instances is not believed yet; null where it is. It is read again soon. */
  #doubt(account: LiveAccount, begun: Begun, instances: readonly InstanceId[]): Failure | null {
    const scope = scopeOf(account, instances)
    if (!this.#isShrunken(account.id, scope)) return null
    const before = this.#doubted.get(account.id)
    const isSame = before?.scope === scope.scope && before.since <= begun.startedAt
    const since = isSame ? before.since : begun.startedAt
    if (begun.startedAt - since >= doubtsFor) return null
    this.#doubted.set(account.id, {
      ...{ scope: scope.scope, since },
      isEmpty: (before?.isEmpty ?? true) && instances.length === 0,
      checks: [...(before?.checks ?? []), begun].slice(-maxDoubted),
    })
    if (!before) this.#events.emit({ kind: 'account/doubted', account: account.id, isDoubted: true })
    void this.#rereadWhileDoubted(account.id)
    const known = this.#owners.present(account.id)?.scope?.instances ?? 0
    return doubtful(instances.length, known)
  }

  /** Whether this scope has so few of the instances of the account's present one that a mistake is likelier than a change of rights. */
  #isShrunken(account: AccountId, { origin, instances }: Scope): boolean {
    const known = this.#owners.present(account)?.scope
    return known?.origin === origin && instances * 2 < known.instances
  }

  /** Reads the list again until it is believed, or cannot be read. */
  async #rereadWhileDoubted(account: AccountId): Promise<void> {
    if (this.#rereading.has(account)) return
    this.#rereading.add(account)
    try {
      for (let last = this.#doubted.get(account); last;) {
        await this.#clock.wait(rereadsAfter, this.#ending.signal)
        if (this.#ending.signal.aborted || !this.#profiles.has(account)) return
        if (this.#doubted.has(account)) await this.confirm(account)
        const now = this.#doubted.get(account)
        last = now === last ? undefined : now
      }
    } catch {
      // The app ends.
    } finally {
      this.#rereading.delete(account)
    }
  }

  /**
   * Where the instances before the doubt are listed again, the empty lists were wrong: each of those checks confirms what came before
   * it. What came while some instances were listed, or counts nothing, may be of fewer instances: it is dropped, with what is asked.
   */
  async #endDoubt(account: LiveAccount, instances: readonly InstanceId[]): Promise<void> {
    const doubted = this.#doubted.get(account.id)
    const scope = scopeOf(account, instances)
    if (!doubted || this.#owners.present(account.id)?.scope?.scope !== scope.scope) return
    if (!doubted.isEmpty || this.#gotNothing.has(account.id)) return this.#owners.doubt(account.id)
    for (const begun of doubted.checks)
      await this.#owners.take(account.id, scope, this.#clock.now() as Instant, this.#checkOf(begun))
  }

  #checkOf({ number, startedAt }: Begun): ScopeCheck {
    return { session: this.#session, number, startedAt }
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

/** Why a list of instances is not believed. */
function doubtful(listed: number, known: number): Failure {
  const was = `it listed ${instancesInWords(known)} before`
  const message =
    listed === 0
      ? `The service lists no instances, but ${was}. Traffic Desk checks again before it believes that.`
      : `The service lists ${instancesInWords(listed)}, but ${was}. Traffic Desk checks again before it believes that.`
  return { kind: 'server-trouble', message }
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
