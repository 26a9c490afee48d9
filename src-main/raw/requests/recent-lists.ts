import { failureOf } from '#shared/app/desk-failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { KnownList, RawAskingParts } from './raw-asking-parts.ts'

/** A list (null where this token is never given one), or what has to come back before one can be had. */
export type Listed =
  | { readonly kind: 'listed'; readonly list: KnownList | null }
  | { readonly kind: 'missing'; readonly for: 'connection' | 'token' }

/** What the limits leave is taken from a list that is not older, in milliseconds. */
const freshFor = 60_000

/** The lists of one account, asked for anew where they are too old for what they have to tell. */
export class RecentLists {
  readonly #parts: Pick<RawAskingParts, 'lists' | 'clock'>
  readonly #account: AccountId
  /** When the last one was there. A slow service takes long for each, and is not asked again for that. */
  #listedAt = 0

  constructor(parts: Pick<RawAskingParts, 'lists' | 'clock'>, account: AccountId) {
    this.#parts = parts
    this.#account = account
  }

  /**
   * A list that was asked for at this moment or later; 0 where any list will do, or none.
   * @param forLimits whether it has to tell what the limits leave now
   */
  async from(moment: number, forLimits: boolean): Promise<Listed> {
    const { lists, clock } = this.#parts
    const now = clock.now()
    const known = await lists.known(this.#account)
    const isRecent = [this.#listedAt, known?.askedAt ?? 0].some((at) => at <= now && now - at <= freshFor)
    // One that does not tell of everything is soon asked for again, too.
    const isOld = (forLimits || (moment > 0 && known?.complete === false)) && !isRecent
    if (moment === 0 && !isOld) return { kind: 'listed', list: known }
    if (known && !isOld && known.askedAt >= moment && known.askedAt <= now)
      return { kind: 'listed', list: known }
    return await this.#refreshed(moment)
  }

  async #refreshed(moment: number): Promise<Listed> {
    const { lists, clock } = this.#parts
    try {
      const list = await lists.refresh(this.#account)
      // It may have been on its way before.
      const later = list.askedAt >= moment ? list : await lists.refresh(this.#account)
      this.#listedAt = clock.now()
      return { kind: 'listed', list: later }
    } catch (error) {
      return withoutList(error)
    }
  }
}

/** What a list that could not be had means: one that this token is never given holds nobody back. */
function withoutList(error: unknown): Listed {
  const { kind } = failureOf(error)
  switch (kind) {
    case 'refused-token':
    case 'no-token':
    case 'no-keychain':
      return { kind: 'missing', for: 'token' }
    case 'no-right':
    case 'bad-request':
    case 'out-of-window':
    case 'not-found':
      return { kind: 'listed', list: null }
    case 'offline':
    case 'timed-out':
    case 'server-trouble':
    case 'proxy-sign-in':
    // A network that wants a person to sign in answers with a page.
    case 'malformed':
    case 'cancelled':
    case 'costly':
    case 'invalid':
    case 'disk':
    case 'internal':
      return { kind: 'missing', for: 'connection' }
  }
}
