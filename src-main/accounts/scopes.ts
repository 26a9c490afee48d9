import type { LiveAccount } from '../../src-shared/accounts/account.ts'
import type { Notice } from '../../src-shared/desk/state.ts'
import type { AccountId, InstanceId, Instant } from '../../src-shared/values/ids.ts'
import type { Clock } from '../lib/waiting.ts'
import type { Clients } from './clients.ts'
import { entryId, instancesInWords } from './earlier.ts'
import { scopeOf } from './owners.ts'
import type { Owner, Owners } from './owners.ts'
import { readScope } from './read-scope.ts'
import type { Profiles } from './profiles.ts'
import { Mutex } from '../lib/waiting.ts'

export type ScopesParts = {
  readonly owners: Owners
  readonly profiles: Profiles
  readonly clients: Clients
  readonly clock: Pick<Clock, 'now'>
  readonly raise: (notice: Notice) => void
  /** An account's figures are kept for another owner from now on. */
  readonly changed: (account: AccountId) => void
}

/** How long a look at a scope holds, and how soon one that failed is tried again; in milliseconds. */
const aDay = 24 * 60 * 60 * 1000
const aWhile = 5 * 60 * 1000

/**
 * Sees to it that whatever is fetched for an account is kept for the owner that its token and address stand for. The scope
 * is looked at before the first request of a day, and wherever token or address may have changed unseen.
 */
export class Scopes {
  readonly #parts: ScopesParts
  /** Requests and changes of one account: none begins in the middle of another. */
  readonly #mutexes = new Map<AccountId, Mutex>()
  readonly #failedAt = new Map<AccountId, number>()
  readonly #ending = new AbortController()

  constructor(parts: ScopesParts) {
    this.#parts = parts
  }

  /** Does something while neither token, address nor owner of the account change. */
  exclusively<T>(account: AccountId, work: () => Promise<T>): Promise<T> {
    const mutex = this.#mutexes.get(account) ?? new Mutex()
    this.#mutexes.set(account, mutex)
    return mutex.run(work)
  }

  /**
   * Changes an account's token or address to what has been verified to see these instances. What is still being asked
   * ends first, so that nothing goes out with the new token for the old owner.
   * @throws what `change` throws; then the scope is looked at before anything is asked
   */
  async changing(
    account: LiveAccount,
    to: { readonly address: string; readonly instances: readonly InstanceId[] },
    change: () => Promise<void>,
  ): Promise<void> {
    const { owners, clients, profiles } = this.#parts
    await clients.end(account.id)
    await this.exclusively(account.id, async () => {
      // Figures of an earlier version are of the token that is about to go, if that can still be asked.
      if (owners.present(account.id)?.of === null) await this.#look(account).catch(() => undefined)
      await clients.end(account.id)
      await owners.doubt(account.id)
      await change()
      if (profiles.has(account.id)) await this.take({ ...account, address: to.address }, to.instances)
    })
  }

  /**
   * Looks at the scope where that is due, with the account's mutex held.
   * @throws what the client throws where it has to be known and cannot be learnt; of a scope that was known, nothing
   */
  async settle(account: LiveAccount): Promise<void> {
    const present = this.#parts.owners.present(account.id)
    if (!present || present.of === null || present.lookedAt === null) return this.#look(account)
    const now = this.#parts.clock.now()
    const failedAt = this.#failedAt.get(account.id) ?? -Infinity
    // A time to come: the clock was set back since.
    if (Math.abs(now - present.lookedAt) < aDay || Math.abs(now - failedAt) < aWhile) return
    await this.#look(account, present)
  }

  /** What was verified to be the account's scope is its scope from now on, with the account's mutex held. */
  async take(account: LiveAccount, instances: readonly InstanceId[]): Promise<void> {
    const { owners, clock, changed } = this.#parts
    const before = owners.present(account.id)
    await owners.take(account.id, scopeOf(account, instances), clock.now() as Instant)
    const after = owners.present(account.id)
    if (!before || !after || before.id === after.id) return
    await owners.dropEmpty()
    this.#tell(account, before, after)
    changed(account.id)
  }

  /** Ends what is being looked at. */
  close(): void {
    this.#ending.abort()
  }

  /** @param known what is known of it already, and stays true where the service cannot be asked */
  async #look(account: LiveAccount, known?: Owner): Promise<void> {
    const { clients, profiles, clock } = this.#parts
    let instances: readonly InstanceId[]
    try {
      instances = await readScope(await clients.of(account), this.#ending.signal)
    } catch (error) {
      if (!known) throw error
      this.#failedAt.set(account.id, clock.now())
      return
    }
    this.#failedAt.delete(account.id)
    if (!profiles.has(account.id)) return
    try {
      await this.take(account, instances)
    } catch (error) {
      // Only the time of the look could not be written down.
      const { origin, scope } = scopeOf(account, instances)
      if (known?.of?.origin !== origin || known.of.scope !== scope) throw error
      this.#failedAt.set(account.id, clock.now())
    }
  }

  /** Where earlier figures are left, the person hears why they are not added to. */
  #tell({ id, name, kind }: LiveAccount, before: Owner, after: Owner): void {
    const { profiles, raise } = this.#parts
    const left = profiles.list().find((each) => each.id === entryId(before.id))
    if (!left) return
    raise({
      id: `scope:${id}`,
      tone: 'information',
      title: `New figures of ${name} are kept apart from those before`,
      text: `${whatChanged(before, after, kind)} Saved figures are never added to those of other instances: the earlier ones stay readable as “${left.name}”.`,
    })
  }
}

function whatChanged(before: Owner, after: Owner, kind: LiveAccount['kind']): string {
  const subject = kind === 'sample' ? 'Sample data' : 'The token of this account'
  if (before.of === null || after.of === null)
    return 'It is not known which instances the earlier ones were of.'
  if (before.of.origin !== after.of.origin) return 'This account is asked at another address.'
  if (before.of.instances === after.of.instances) return `${subject} now shows other instances than before.`
  return `${subject} now shows ${instancesInWords(after.of.instances)} instead of ${before.of.instances.toLocaleString('en')}.`
}
