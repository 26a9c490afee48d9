import { QueryObserver } from '@tanstack/svelte-query'
import { applyChanges, usualSettings } from '#shared/app/settings.ts'
import type { DeskSettings } from '#shared/app/settings.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import { taken } from '#renderer/queries/answers.ts'
import type { Asking } from '#renderer/queries/answers.ts'
import { deskSettings } from '#renderer/queries/settings.ts'
import { writeFormatsAs } from './format-tag.svelte.ts'

export type WindowSettingChanges = CallArgument<'settings/write'>

/** Settings of the app, including changes that are not confirmed yet. */
export class WindowSettings {
  now = $state.raw<DeskSettings>(usualSettings)
  /** True once the settings were read or failed to load. Before that nothing is drawn, because it might change. */
  isLoaded = $state(false)
  /** Changes that are not confirmed yet, in order. */
  #underWay: readonly WindowSettingChanges[] = []
  readonly #app: Asking

  constructor(app: Asking) {
    this.#app = app
    new QueryObserver(app.queries, deskSettings(app.bridge)).subscribe(({ isPending }) => {
      this.#show()
      this.isLoaded ||= !isPending
    })
  }

  /** Changes settings at once. Returns the failure if the change was rejected and undone, else null. */
  async change(changes: WindowSettingChanges): Promise<Failure | null> {
    const { bridge, queries } = this.#app
    this.#underWay = [...this.#underWay, changes]
    this.#show()
    const failure = await taken(queries, deskSettings(bridge), bridge.call('settings/write', changes))
    this.#underWay = this.#underWay.filter((other) => other !== changes)
    this.#show()
    return failure
  }

  /** Applies the stored settings with the unconfirmed changes. */
  #show(): void {
    const { bridge, queries } = this.#app
    const stored = queries.getQueryData(deskSettings(bridge).queryKey) ?? usualSettings
    const settings = this.#underWay.reduce(applyChanges, stored)
    this.now = settings
    writeFormatsAs(settings.formats)
    document.documentElement.dataset['density'] = settings.density
  }
}
