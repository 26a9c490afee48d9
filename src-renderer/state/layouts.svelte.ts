import { SvelteMap } from 'svelte/reactivity'
import type { DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { ColumnLayout } from '../../src-shared/views/layout.ts'

/** How the columns of each report are laid out, kept for the next time. */
export class Layouts {
  readonly #known = new SvelteMap<string, ColumnLayout | null>()
  readonly #bridge: DeskBridge

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
  }

  /** The layout of a report by its path, such as `script/browsers`; null where nobody changed it, or it is not read yet. */
  of(report: string): ColumnLayout | null {
    return this.#known.get(report) ?? null
  }

  /** Reads what was kept of a report, once. */
  async read(report: string): Promise<void> {
    if (this.#known.has(report)) return
    const outcome = await this.#bridge.call('layouts/read', { report })
    if (outcome.ok && !this.#known.has(report)) this.#known.set(report, outcome.value)
  }

  /** Changes a layout and keeps it; null puts the columns back as they come. */
  change(report: string, layout: ColumnLayout | null): void {
    this.#known.set(report, layout)
    void this.#bridge.call('layouts/write', { report, layout })
  }
}
