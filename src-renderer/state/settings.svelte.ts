import type { DeskBridge } from '../../src-shared/bridge/calls.ts'
import type { DeskSettings } from '../../src-shared/desk/settings.ts'
import { usualSettings } from '../../src-shared/desk/settings.ts'

/** The settings of the desk, as the window follows them. */
export class Settings {
  now = $state.raw<DeskSettings>(usualSettings)

  constructor(bridge: DeskBridge) {
    bridge.on('settings/changed', (settings) => (this.now = settings))
    void bridge.call('settings/read').then((outcome) => {
      if (outcome.ok) this.now = outcome.value
    })
  }
}
