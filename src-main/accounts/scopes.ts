import { randomUUID } from 'node:crypto'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Provisional, ScopeCheck } from '#shared/reports/answer.ts'
import type { Failure } from '#shared/api/failure.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, InstanceId } from '#shared/values/ids.ts'
import { cancelled } from '#main/lib/async.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import { Lanes } from '#main/lib/lanes.ts'
import type { AccountsContext } from './accounts-context.ts'
import type { Clients } from './clients.ts'
import { entryId, instancesInWords } from './earlier.ts'
import { scopeOf } from './data-scopes.ts'
import type { DataScope, DataScopes, Scope } from './data-scopes.ts'
import type { Profiles } from './profiles.ts'
import { readScope } from './read-scope.ts'

/** Minimum interval between checks before requests, in milliseconds. */
const checkHolds = 60_000

/** Maximum time that provisional results wait for a check during continuous requests, in milliseconds. */
const putOffMs = 20_000

/**
 * Time from the last result to its check, in milliseconds. Short, because the user may go offline soon after loading a
 * page.
 */
const quietMs = 1_000

/**
 * A list of instances that is empty, or less than half as long as before, is accepted if it is unchanged after this
 * time, in milliseconds. Services list no instances for up to two minutes while tables work as usual. Until then the
 * figures are marked and added to nothing.
 */
const doubtsFor = 5 * 60_000

/** Interval in milliseconds at which a doubted list is fetched again. */
const rereadsAfter = 30_000

/** Maximum number of doubted checks remembered; more than fit into `doubtsFor`. */
const maxDoubted = 100

/** Doubted lists of an account's instances. */
type Doubted = {
  /** The last list, and since when the lists have been equal. */
  readonly scope: string
  readonly since: number
  /** Whether all lists were empty. */
  readonly isEmpty: boolean
  readonly checks: readonly Begun[]
}

/** A started check. */
type Begun = Omit<ScopeCheck, 'session'> & { readonly term: number | undefined }

/**
 * Stores each result under its data scope. Instances are listed before requests (at most once a minute), before
 * provisional results are added up, and one second after the last result. Results between two checks that found the
 * same instances are confirmed. All others are deleted (src-main/database/scope-checks.ts).
 */
export class Scopes {
  readonly #context: AccountsContext
  readonly #dataScopes: DataScopes
  readonly #profiles: Profiles
  readonly #clients: Clients
  /** Serialises requests for clients and changes of one account. */
  readonly #lanes = new Lanes<AccountId>()
  /** Number and start of the last check of each account in this session. */
  readonly #lastChecks = new Map<AccountId, Pick<Begun, 'number' | 'startedAt'>>()
  readonly #checks = new Lanes<AccountId, Failure | null>()
  /** Number of results of each account, by which a result recognises a later one. */
  readonly #arrivals = new Map<AccountId, number>()
  /** Arrival of each account's first result since its last check started. */
  readonly #waitingSince = new Map<AccountId, number>()
  readonly #doubts = new Map<AccountId, Doubted>()
  readonly #rereading = new Set<AccountId>()
  /** Accounts with a result that counts nothing, since a list was last accepted. */
  readonly #gotNothing = new Set<AccountId>()
  readonly #session = randomUUID()
  readonly #ending = new AbortController()

  constructor(context: AccountsContext, dataScopes: DataScopes, profiles: Profiles, clients: Clients) {
    this.#context = context
    this.#dataScopes = dataScopes
    this.#profiles = profiles
    this.#clients = clients
  }

  /** Runs `work` while the token, address and data scope of the account do not change. */
  exclusively<T>(account: AccountId, work: () => Promise<T>): Promise<T> {
    return this.#lanes.run(account, work)
  }

  /**
   * Changes an account's token or address, verified to see these instances. Pending requests end first, so that the new
   * token is never used for the old data scope.
   * @throws whatever `change` throws; the scope is then checked before the next request
   */
  async changing(
    account: LiveAccount,
    to: { readonly address: string; readonly instances: readonly InstanceId[] },
    change: () => Promise<void>,
  ): Promise<void> {
    await this.#clients.end(account.id)
    await this.exclusively(account.id, async () => {
      // Figures stored by an earlier version belong to the old token, which can still be checked now.
      if (this.#dataScopes.present(account.id)?.scope === null)
        await this.#learn(account).catch(() => undefined)
      await this.#clients.end(account.id)
      await this.#dataScopes.doubt(account.id)
      // Doubts about the old token's lists do not apply to the new token.
      this.#doubts.delete(account.id)
      await change()
      if (!this.#profiles.has(account.id)) return
      const changed = { ...account, address: to.address }
      // A shrunken empty list is fetched again before the next request.
      if (to.instances.length > 0 || !this.#isShrunken(account.id, scopeOf(changed, [])))
        await this.take(changed, to.instances)
    })
  }

  /**
   * Learns the scope if nothing may be stored before the scope is known; otherwise starts a check when one is due. Must
   * run within `exclusively`.
   * @throws whatever the client throws while learning the scope
   */
  async ensureKnown(account: LiveAccount): Promise<void> {
    const present = this.#dataScopes.present(account.id)
    if (!present || present.scope === null || present.checkedAt === null) return this.#learn(account)
    this.checkWhenDue(account.id)
  }

  /**
   * Starts a check if the last one is too old or a result has waited too long: continuous requests leave no
   * pause for the regular check.
   */
  checkWhenDue(account: AccountId): void {
    const now = this.#context.clock.now()
    const ago = now - (this.#lastChecks.get(account)?.startedAt ?? -Infinity)
    const waited = now - (this.#waitingSince.get(account) ?? Infinity)
    // Negative if the clock was set back.
    if (ago < 0 || ago >= checkHolds || waited >= putOffMs) void this.confirm(account)
  }

  /**
   * Checks the account's instances. Earlier provisional results are confirmed, or deleted if the instances differ.
   * Concurrent callers share a check.
   * @returns the failure of the check; null if the check was made
   */
  confirm(account: AccountId): Promise<Failure | null> {
    return this.#checks.join(account, () => this.#check(account))
  }

  /**
   * Starts a check that uses a list fetched for another purpose.
   * @returns a function that takes the list; null means incomplete, which starts a full check
   */
  startCheck(account: AccountId): (instances: readonly InstanceId[] | null) => Promise<Failure | null> {
    const begun = this.#begin(account)
    return async (instances) => {
      if (!this.#profiles.has(account)) return cancelled().failure
      const live = this.#profiles.live(account)
      const known = this.#dataScopes.present(account)?.scope
      // A differing list is fetched again, because it may have changed while its pages were fetched.
      if (instances === null || known?.scope !== scopeOf(live, instances).scope) return this.confirm(account)
      return await this.#takeChecked(account, begun, instances)
    }
  }

  /**
   * Marks a result with the last started check, and schedules a check.
   * @param arrivedAt arrival of the result by the local clock; storing may happen later
   */
  provisional(account: AccountId, arrivedAt = instantOf(this.#context.clock.now())): Provisional {
    const checks = this.#lastChecks.get(account)?.number ?? 0
    if (!this.#waitingSince.has(account)) this.#waitingSince.set(account, arrivedAt)
    void this.#confirmWhenQuiet(account, checks)
    return { session: this.#session, checks, arrivedAt }
  }

  /** Whether the account's list of instances is doubted. Results are not confirmed in the meantime. */
  isDoubted(account: AccountId): boolean {
    return this.#doubts.has(account)
  }

  /** Notes a result that counts nothing, as for a token without instances. */
  noteNothing(account: AccountId): void {
    this.#gotNothing.add(account)
  }

  /** Makes a verified scope the account's current scope. Must run within `exclusively`. */
  async take(account: LiveAccount, instances: readonly InstanceId[], begun?: Begun): Promise<void> {
    const before = this.#dataScopes.present(account.id)
    const check = begun && this.#checkOf(begun)
    const wasDoubted = this.#doubts.delete(account.id)
    this.#gotNothing.delete(account.id)
    const { events, clock } = this.#context
    await this.#dataScopes.take(account.id, scopeOf(account, instances), instantOf(clock.now()), check)
    const after = this.#dataScopes.present(account.id)
    if (!before || !after) return
    if (before.id === after.id) {
      if (check) events.emit({ kind: 'account/confirmed', account: account.id })
      if (wasDoubted) events.emit({ kind: 'account/doubted', account: account.id })
      return
    }
    // Emitted at once, because running work for the former scope must stop.
    events.emit({ kind: 'account/other-data-scope', account: account.id })
    if (await this.#dataScopes.dropEmpty())
      events.emit({ kind: 'account/scopes-dropped', account: account.id })
    this.#emit(account, before, after)
  }

  /** Cancels checks and timers. */
  close(): void {
    this.#ending.abort()
  }

  /** Starts a check once no result has arrived for a moment, unless a later check has started. */
  async #confirmWhenQuiet(account: AccountId, checks: number): Promise<void> {
    const arrival = (this.#arrivals.get(account) ?? 0) + 1
    this.#arrivals.set(account, arrival)
    try {
      await this.#context.clock.wait(quietMs, this.#ending.signal)
    } catch {
      return
    }
    const checked = (this.#lastChecks.get(account)?.number ?? 0) > checks
    if (checked || this.#arrivals.get(account) !== arrival || !this.#profiles.has(account)) return
    await this.confirm(account)
  }

  #begin(account: AccountId): Begun {
    const number = (this.#lastChecks.get(account)?.number ?? 0) + 1
    const startedAt = instantOf(this.#context.clock.now())
    this.#lastChecks.set(account, { number, startedAt })
    this.#waitingSince.delete(account)
    return { number, startedAt, term: this.#dataScopes.present(account)?.term }
  }

  /** Must run within `exclusively`. @throws whatever the client throws */
  async #learn(account: LiveAccount): Promise<void> {
    const begun = this.#begin(account.id)
    const instances = await this.#read(account)
    if (!this.#profiles.has(account.id)) return
    // Another token may see fewer instances, but an empty list is still doubtful.
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

  /** Fetches the account's instances. @throws as `readScope` does */
  async #read(account: LiveAccount): Promise<readonly InstanceId[]> {
    const client = await this.#clients.forAccount(account)
    return await readScope(client, this.#ending.signal, (instances) => {
      const known = this.#dataScopes.present(account.id)?.scope
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
        const present = this.#dataScopes.present(account)
        // The token or scope has changed since the check started, so its result does not apply.
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

  /** Returns the reason why a list is doubted, and schedules another fetch. Null: the list is accepted. */
  #doubt(account: LiveAccount, begun: Begun, instances: readonly InstanceId[]): Failure | null {
    const scope = scopeOf(account, instances)
    if (!this.#isShrunken(account.id, scope)) return null
    const before = this.#doubts.get(account.id)
    const isSame = before?.scope === scope.scope && before.since <= begun.startedAt
    const since = isSame ? before.since : begun.startedAt
    if (begun.startedAt - since >= doubtsFor) return null
    this.#doubts.set(account.id, {
      ...{ scope: scope.scope, since },
      isEmpty: (before?.isEmpty ?? true) && instances.length === 0,
      checks: [...(before?.checks ?? []), begun].slice(-maxDoubted),
    })
    if (!before) this.#context.events.emit({ kind: 'account/doubted', account: account.id })
    void this.#rereadWhileDoubted(account.id)
    const known = this.#dataScopes.present(account.id)?.scope?.instances ?? 0
    return doubtful(instances.length, known)
  }

  /** Whether the list is less than half as long as before, which is more likely an error than a change of rights. */
  #isShrunken(account: AccountId, { origin, instances }: Scope): boolean {
    const known = this.#dataScopes.present(account)?.scope
    return known?.origin === origin && instances * 2 < known.instances
  }

  /** Fetches the list again until it is accepted or a fetch fails. */
  async #rereadWhileDoubted(account: AccountId): Promise<void> {
    if (this.#rereading.has(account)) return
    this.#rereading.add(account)
    try {
      for (let last = this.#doubts.get(account); last;) {
        await this.#context.clock.wait(rereadsAfter, this.#ending.signal)
        if (this.#ending.signal.aborted || !this.#profiles.has(account)) return
        if (this.#doubts.has(account)) await this.confirm(account)
        const now = this.#doubts.get(account)
        last = now === last ? undefined : now
      }
    } catch {
      // The app is closing.
    } finally {
      this.#rereading.delete(account)
    }
  }

  /**
   * Ends a doubt when the former instances are listed again. If all doubted lists were empty, they were wrong, and
   * their checks confirm the results before them. Otherwise, results may belong to fewer instances, and are dropped.
   */
  async #endDoubt(account: LiveAccount, instances: readonly InstanceId[]): Promise<void> {
    const doubted = this.#doubts.get(account.id)
    const scope = scopeOf(account, instances)
    if (!doubted || this.#dataScopes.present(account.id)?.scope?.scope !== scope.scope) return
    if (!doubted.isEmpty || this.#gotNothing.has(account.id)) return this.#dataScopes.doubt(account.id)
    for (const begun of doubted.checks)
      await this.#dataScopes.take(
        account.id,
        scope,
        instantOf(this.#context.clock.now()),
        this.#checkOf(begun),
      )
  }

  #checkOf({ number, startedAt }: Begun): ScopeCheck {
    return { session: this.#session, number, startedAt }
  }

  /** Shows a notice if the former data scope remains as earlier figures. */
  #emit({ id, name, kind }: LiveAccount, before: DataScope, after: DataScope): void {
    const left = this.#profiles.list().find((account) => account.id === entryId(before.id))
    if (!left) return
    const notice = {
      id: `scope:${id}`,
      tone: 'information',
      title: `New figures of ${name} are kept separate`,
      text: `${whatChanged(before, after, kind)} Figures of different instances are never added up. The earlier ones stay readable as “${left.name}”.`,
    } as const
    this.#context.events.emit({ kind: 'notice/shown', notice })
  }
}

/** Failure for a doubted list of instances. */
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
