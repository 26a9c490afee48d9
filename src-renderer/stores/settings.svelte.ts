import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import { changed, usualSettings } from '#shared/app/settings.ts'
import type { DeskSettings } from '#shared/app/settings.ts'
import type { Failure } from '#shared/api/failure.ts'
import { writeFormatsAs } from './format-tag.svelte.ts'

export type SettingChanges = CallArgument<'settings/write'>

/** The settings of the desk, as the window follows them. */
export class Settings {
  now = $state.raw<DeskSettings>(usualSettings)
  /** Whether they were read, or cannot be: until then nothing is drawn that would look otherwise afterwards. */
  known = $state(false)
  #stored = usualSettings
  /** What is not answered yet, in the order in which it was changed. */
  #underWay: readonly SettingChanges[] = []
  readonly #bridge: DeskBridge

  constructor(bridge: DeskBridge) {
    this.#bridge = bridge
    bridge.on('settings/changed', (settings) => this.#become(settings))
    void bridge.call('settings/read').then((outcome) => {
      if (outcome.ok) this.#become(outcome.value)
      this.known = true
    })
  }

  /** Changes what is given, at once; answers why not where it cannot be, and then all is as it was. */
  async change(changes: SettingChanges): Promise<Failure | null> {
    this.#underWay = [...this.#underWay, changes]
    this.#become(this.#stored)
    const outcome = await this.#bridge.call('settings/write', changes)
    this.#underWay = this.#underWay.filter((item) => item !== changes)
    this.#become(outcome.ok ? outcome.value : this.#stored)
    return outcome.ok ? null : outcome.failure
  }

  /** Lets the person choose the folder for downloads; answers why it cannot be used. */
  async chooseFolder(): Promise<Failure | null> {
    const outcome = await this.#bridge.call('settings/choose-folder')
    if (outcome.ok && outcome.value) this.#become(outcome.value)
    return outcome.ok ? null : outcome.failure
  }

  /** Those that are stored, with what is under way. */
  #become(stored: DeskSettings): void {
    this.#stored = stored
    const settings = this.#underWay.reduce(changed, stored)
    this.now = settings
    writeFormatsAs(settings.formats)
    document.documentElement.dataset['density'] = settings.density
  }
}
