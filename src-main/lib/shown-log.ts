import { appendFileSync, readFileSync, truncateSync } from 'node:fs'

/** Key of an announcement: texts that name it in a log and in the store. */
export type AnnouncementParts = readonly string[]

/**
 * Log of announcements that are shown but not yet marked in the store. Written synchronously before each is shown,
 * because the store writes later in its own thread. The log survives a crash of the app at any moment, and a power
 * failure after `flush`.
 */
export class ShownLog<Key extends AnnouncementParts> {
  readonly #file: string
  readonly #parse: (parts: readonly unknown[]) => Key | undefined
  #keys: Map<string, Key> | null = null

  /**
   * @param file path of the log
   * @param parse checks a key read from the disk
   */
  constructor(file: string, parse: (parts: readonly unknown[]) => Key | undefined) {
    this.#file = file
    this.#parse = parse
  }

  keys(): readonly Key[] {
    return [...this.#read().values()]
  }

  has(key: Key): boolean {
    return this.#read().has(textOf(key))
  }

  /** Logs announcements as shown. The caller must show them at once, without an `await` in between. */
  add(keys: readonly Key[]): void {
    const more = keys.filter((key) => !this.has(key))
    for (const key of more) this.#read().set(textOf(key), key)
    this.#append('shown', more)
  }

  /** Makes the log survive a power failure. Called only after showing. */
  flush(): void {
    quietly(() => {
      appendFileSync(this.#file, '', { mode: 0o600, flush: true })
    })
  }

  /** Removes announcements that could not be shown. */
  takeBack(keys: readonly Key[]): void {
    const fewer = keys.filter((key) => this.#read().delete(textOf(key)))
    this.#append('not-shown', fewer)
    this.flush()
  }

  /** Clears the log after the store has marked its announcements. */
  clear(): void {
    if (this.#read().size === 0) return
    this.#keys = new Map()
    quietly(() => {
      truncateSync(this.#file)
    })
  }

  #append(what: 'shown' | 'not-shown', keys: readonly Key[]): void {
    if (keys.length === 0) return
    const text = keys.map((key) => JSON.stringify([what, ...key]) + '\n')
    quietly(() => {
      appendFileSync(this.#file, text.join(''), { mode: 0o600 })
    })
  }

  #read(): Map<string, Key> {
    if (this.#keys) return this.#keys
    const keys = new Map<string, Key>()
    for (const [what, ...parts] of linesOf(this.#file)) {
      const key = this.#parse(parts)
      // A line may be foreign.
      if (key === undefined) continue
      if (what === 'shown') keys.set(textOf(key), key)
      else if (what === 'not-shown') keys.delete(textOf(key))
    }
    return (this.#keys = keys)
  }
}

const textOf = (key: AnnouncementParts): string => JSON.stringify(key)

/** Lines of a log that are lists; a line may be truncated. */
function linesOf(file: string): readonly (readonly unknown[])[] {
  let text = ''
  quietly(() => {
    text = readFileSync(file, 'utf8')
  })
  return text.split('\n').flatMap((line) => {
    try {
      const read: unknown = JSON.parse(line)
      return Array.isArray(read) ? [read as readonly unknown[]] : []
    } catch {
      return []
    }
  })
}

/** Ignores errors of the folder, which the store reports. The announcement is still shown, and marked in the store. */
function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // See above.
  }
}
