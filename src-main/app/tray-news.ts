import type { AppEvents } from '#main/lib/app-events.ts'
import { keepingWords } from '#shared/texts/sync.ts'

/** What the tray shows, besides pinned views and the lock. */
const shown = [
  'connection/changed',
  'proxies/changed',
  'raw/changed',
  'raw/removed',
  'downloads/changed',
] as const

/** Follows for the tray what it shows. */
export class TrayNews {
  /** What it says of pinned views: it is drawn anew where that changes, not with every day that came. */
  #keeping: string | null = null

  /** @param changed draws the tray anew */
  constructor(events: Pick<AppEvents, 'on'>, changed: () => void) {
    for (const kind of shown) events.on(kind, changed)
    events.on('sync/changed', (state) => {
      const keeping = keepingWords(state)
      if (keeping === this.#keeping) return
      this.#keeping = keeping
      changed()
    })
  }

  /** In words; null while no view is kept up to date. */
  get keeping(): string | null {
    return this.#keeping
  }
}
