import { appendFileSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { announcementKinds } from '#shared/raw/announcements.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { AnnouncementKey } from '#main/database/state/raw-announcements-repository.ts'

/** One line: whether something was shown or, after all, was not; and what. */
const line = v.tuple([
  v.picklist(['shown', 'not-shown']),
  v.string(),
  v.string(),
  v.picklist(announcementKinds),
])

export const textOf = ({ account, report, kind }: AnnouncementKey): string =>
  JSON.stringify([account, report, kind])

/**
 * What was shown and is not marked in the store yet. The store answers later, from its own thread; this is written at
 * once and synchronously, directly before something is shown, and outlives the end of the app, or of the power, at any moment.
 */
export class ShownLog {
  readonly #file: string
  #keys: Map<string, AnnouncementKey> | null = null

  /** @param folder the profile folder */
  constructor(folder: string) {
    this.#file = join(folder, 'announced.log')
  }

  /** All that is in it. */
  keys(): readonly AnnouncementKey[] {
    return [...this.#read().values()]
  }

  has(key: AnnouncementKey): boolean {
    return this.#read().has(textOf(key))
  }

  /** Writes down that these are shown. They must be shown right after, before anything is waited for. */
  add(keys: readonly AnnouncementKey[]): void {
    const more = keys.filter((key) => !this.has(key))
    for (const key of more) this.#read().set(textOf(key), key)
    this.#append('shown', more)
  }

  /** They could not be shown. */
  takeBack(keys: readonly AnnouncementKey[]): void {
    const fewer = keys.filter((key) => this.#read().delete(textOf(key)))
    this.#append('not-shown', fewer)
  }

  /** The store has marked all of it. */
  clear(): void {
    if (this.#read().size === 0) return
    this.#keys = new Map()
    quietly(() => {
      truncateSync(this.#file)
    })
  }

  #append(what: 'shown' | 'not-shown', keys: readonly AnnouncementKey[]): void {
    if (keys.length === 0) return
    const text = keys.map(({ account, report, kind }) => JSON.stringify([what, account, report, kind]) + '\n')
    quietly(() => {
      appendFileSync(this.#file, text.join(''), { mode: 0o600, flush: true })
    })
  }

  #read(): Map<string, AnnouncementKey> {
    if (this.#keys) return this.#keys
    const keys = new Map<string, AnnouncementKey>()
    for (const [what, key] of linesOf(this.#file)) {
      if (what === 'shown') keys.set(textOf(key), key)
      else keys.delete(textOf(key))
    }
    return (this.#keys = keys)
  }
}

function linesOf(file: string): ['shown' | 'not-shown', AnnouncementKey][] {
  let text = ''
  quietly(() => {
    text = readFileSync(file, 'utf8')
  })
  return text.split('\n').flatMap((value) => {
    try {
      const [what, account, report, kind] = v.parse(line, JSON.parse(value))
      return [[what, { account: account as AccountId, report: report as RawReportId, kind }]]
    } catch {
      // A line that was cut off, or is none of ours.
      return []
    }
  })
}

/** A folder that refuses is told of by the store; what happened is shown all the same, and marked there. */
function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // See above.
  }
}
