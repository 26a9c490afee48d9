import { SvelteMap } from 'svelte/reactivity'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { ColumnLayout } from '#shared/views/saved-views.ts'

/** Column layouts of the reports, stored across starts. */
export class ColumnLayouts {
  /** True once the layouts were read or failed to load; then reports use the default. */
  isLoaded = $state(false)
  readonly #changes = new SvelteMap<string, ColumnLayout | null>()
  readonly #bridge: DeskBridge

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
    void bridge.call('layouts/read').then((outcome) => {
      const stored = outcome.ok ? Object.entries(outcome.value) : []
      for (const [report, layout] of stored) this.#changes.set(report, layout)
      this.isLoaded = true
    })
  }

  /** Layout of a report by its path, such as `script/browsers`; null for the default. */
  get(report: string): ColumnLayout | null {
    return this.#changes.get(report) ?? null
  }

  /** Changes and stores a layout; null resets the columns to the default. */
  change(report: string, layout: ColumnLayout | null): void {
    this.#changes.set(report, layout)
    void this.#bridge.call('layouts/write', { report, layout })
  }
}
