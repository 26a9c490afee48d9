import { untrack } from 'svelte'
import type { Attachment } from 'svelte/attachments'

/** Under this name they lie in the window's own storage. */
const STORED = 'drafts'
/** The newest; who left more than that behind has forgotten the others. */
const MAX = 50
/** What is longer, in characters of its JSON, is not stored. */
const LONGEST = 50_000

type Stored = Readonly<Record<string, unknown>>

/**
 * What was typed and not sent, as it is typed: it outlives a window that is closed, locked or crashes. Tokens and passphrases
 * never get in here. Storage that is full, refused or holds nonsense is as good as none.
 */
export class Drafts {
  readonly #storage: () => Pick<Storage, 'getItem' | 'setItem'>
  readonly #here: () => readonly [account: string, address: string]

  /** @param here where one is as a field appears: there its text is looked for again */
  constructor(
    storage: () => Pick<Storage, 'getItem' | 'setItem'>,
    here: () => readonly [account: string, address: string],
  ) {
    this.#storage = storage
    this.#here = here
  }

  /** Whatever was stored there, which is to be checked; undefined where nothing was. */
  get(...place: readonly unknown[]): unknown {
    return this.#read()[keyOf(place)]
  }

  save(draft: unknown, ...place: readonly unknown[]): void {
    const others = without(this.#read(), keyOf(place))
    const isFit = JSON.stringify(draft).length <= LONGEST
    this.#write(isFit ? { ...others, [keyOf(place)]: draft } : others)
  }

  drop(...place: readonly unknown[]): void {
    const stored = this.#read()
    if (Object.hasOwn(stored, keyOf(place))) this.#write(without(stored, keyOf(place)))
  }

  /** Drops those of accounts that are gone: a place begins with its account. */
  removeOthers(accounts: readonly string[]): void {
    const all = Object.entries(this.#read())
    const remaining = all.filter(([key]) => accounts.some((id) => key.startsWith(`[${JSON.stringify(id)},`)))
    if (remaining.length < all.length) this.#write(Object.fromEntries(remaining))
  }

  /**
   * For a field: it begins with what was typed there and is done with once a person leaves it behind. A window that ends leaves
   * nothing behind.
   */
  field(...names: readonly string[]): Attachment<HTMLInputElement | HTMLTextAreaElement> {
    return (element) => {
      const place = [...untrack(this.#here), ...names]
      const typed = this.get(...place)
      if (typeof typed === 'string') {
        element.value = typed
        // Fields are taken as they change, or when they are left.
        for (const kind of ['input', 'change']) element.dispatchEvent(new Event(kind, { bubbles: true }))
      }
      const saveTyped = () => this.save(element.value, ...place)
      element.addEventListener('input', saveTyped)
      return () => {
        element.removeEventListener('input', saveTyped)
        this.drop(...place)
      }
    }
  }

  #read(): Stored {
    try {
      const stored: unknown = JSON.parse(this.#storage().getItem(STORED) ?? '{}')
      return typeof stored === 'object' && stored !== null ? { ...stored } : {}
    } catch {
      return {}
    }
  }

  #write(stored: Stored): void {
    try {
      this.#storage().setItem(STORED, JSON.stringify(Object.fromEntries(Object.entries(stored).slice(-MAX))))
    } catch {
      // What is typed is there for as long as its field is.
    }
  }
}

const without = (stored: Stored, key: string): Stored =>
  Object.fromEntries(Object.entries(stored).filter(([each]) => each !== key))

const keyOf = (place: readonly unknown[]) => JSON.stringify(place)
