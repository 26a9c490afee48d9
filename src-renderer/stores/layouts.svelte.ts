import { SvelteMap } from 'svelte/reactivity'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { ColumnLayout } from '#shared/views/saved-views.ts'

/** How the columns of each report are laid out, kept for the next time. */
export class Layouts {
  /** Whether they were read, or cannot be: then reports stand as they come. */
  known = $state(false)
  readonly #changed = new SvelteMap<string, ColumnLayout | null>()
  readonly #bridge: DeskBridge

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
    void bridge.call('layouts/read').then((outcome) => {
      const stored = outcome.ok ? Object.entries(outcome.value) : []
      for (const [report, layout] of stored) this.#changed.set(report, layout)
      this.known = true
    })
  }

  /** The layout of a report by its path, such as `script/browsers`; null where nobody changed it. */
  get(report: string): ColumnLayout | null {
    return this.#changed.get(report) ?? null
  }

  /** Changes a layout and keeps it; null puts the columns back as they come. */
  change(report: string, layout: ColumnLayout | null): void {
    this.#changed.set(report, layout)
    void this.#bridge.call('layouts/write', { report, layout })
  }
}
