import { SvelteMap } from 'svelte/reactivity'
import type { DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { ColumnLayout } from '../../src-shared/views/layout.ts'

/** How the columns of each report are laid out, kept for the next time. */
export class Layouts {
  readonly #known = new SvelteMap<string, ColumnLayout | null>()
  #asked: readonly string[] = []
  readonly #bridge: DeskBridge

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
  }

  /** The layout of a report by its path, such as `script/browsers`; null where nobody changed it, or it is not read yet. */
  of(report: string): ColumnLayout | null {
    return this.#known.get(report) ?? null
  }

  /** Whether it is known how a report is laid out, so that it can be drawn once and stays. */
  isRead(report: string): boolean {
    return this.#known.has(report)
  }

  /** Reads what was kept of a report, once. What cannot be read stands as it comes. */
  async read(report: string): Promise<void> {
    if (this.#known.has(report) || this.#asked.includes(report)) return
    this.#asked = [...this.#asked, report]
    const outcome = await this.#bridge.call('layouts/read', { report })
    if (!this.#known.has(report)) this.#known.set(report, outcome.ok ? outcome.value : null)
  }

  /** Changes a layout and keeps it; null puts the columns back as they come. */
  change(report: string, layout: ColumnLayout | null): void {
    this.#known.set(report, layout)
    void this.#bridge.call('layouts/write', { report, layout })
  }
}
