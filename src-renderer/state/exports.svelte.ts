import type { DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { ExportProgress } from '../../src-shared/exports/order.ts'

/** What is being taken out of the app, and what was. */
export class Exports {
  list = $state.raw<readonly ExportProgress[]>([])

  constructor(bridge: DeskBridge) {
    bridge.on('exports/changed', (changed) => {
      const others = this.list.filter(({ id }) => id !== changed.id)
      this.list = [...others, changed]
    })
  }
}
