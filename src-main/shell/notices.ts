import type { Notice } from '#shared/app/state.ts'

/** What the person should know, until they dismiss it or the app ends. The newest stands last. */
export class Notices {
  readonly #standing = new Map<string, Notice>()
  readonly #changed: (notices: readonly Notice[]) => void

  constructor(changed: (notices: readonly Notice[]) => void) {
    this.#changed = changed
  }

  list(): readonly Notice[] {
    return [...this.#standing.values()]
  }

  /** Adds a notice, or puts it in the place of the one with the same id. */
  show(notice: Notice): void {
    this.#standing.delete(notice.id)
    this.#standing.set(notice.id, notice)
    this.#changed(this.list())
  }

  dismiss(id: string): void {
    if (this.#standing.delete(id)) this.#changed(this.list())
  }
}

/** What is written down of a notice, for others to read: its title and text may name accounts, which are called as clients are. */
export const namelessWords = ({ id, tone }: Notice): string => `${id} (${tone})`
