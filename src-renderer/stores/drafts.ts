import { untrack } from 'svelte'
import type { Attachment } from 'svelte/attachments'

/** Key in the window's local storage. */
const STORED = 'drafts'
/** Older drafts are dropped. */
const MAX = 50
/** In characters of its JSON. Longer drafts are not stored. */
const LONGEST = 50_000

type Stored = Readonly<Record<string, unknown>>

/** Text that was typed and not submitted. Drafts survive a closed or crashed window, and never contain secrets. */
export class Drafts {
  readonly #storage: () => Pick<Storage, 'getItem' | 'setItem'>
  readonly #here: () => readonly [account: string, address: string]

  /** @param here account and address, under which the text of a field is stored */
  constructor(
    storage: () => Pick<Storage, 'getItem' | 'setItem'>,
    here: () => readonly [account: string, address: string],
  ) {
    this.#storage = storage
    this.#here = here
  }

  /** Returns the stored draft, which the caller must validate; undefined if there is none. */
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

  /** Drops drafts of removed accounts. The first part of a key is the account. */
  removeOthers(accounts: readonly string[]): void {
    const all = Object.entries(this.#read())
    const remaining = all.filter(([key]) => accounts.some((id) => key.startsWith(`[${JSON.stringify(id)},`)))
    if (remaining.length < all.length) this.#write(Object.fromEntries(remaining))
  }

  /** Restores and stores the text of a field. The draft is dropped with the field, but not when the window closes. */
  field(...names: readonly string[]): Attachment<HTMLInputElement | HTMLTextAreaElement> {
    return (element) => {
      const place = [...untrack(this.#here), ...names]
      const typed = this.get(...place)
      if (typeof typed === 'string') {
        element.value = typed
        // Some forms read a field on `input`, others on `change`.
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
      // The text stays only in its field.
    }
  }
}

const without = (stored: Stored, key: string): Stored =>
  Object.fromEntries(Object.entries(stored).filter(([each]) => each !== key))

const keyOf = (place: readonly unknown[]) => JSON.stringify(place)
