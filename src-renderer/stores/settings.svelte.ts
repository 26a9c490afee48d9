import { QueryObserver } from '@tanstack/svelte-query'
import { changed, usualSettings } from '#shared/app/settings.ts'
import type { DeskSettings } from '#shared/app/settings.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import { taken } from '#renderer/queries/answers.ts'
import type { Asking } from '#renderer/queries/answers.ts'
import { deskSettings } from '#renderer/queries/settings.ts'
import { writeFormatsAs } from './format-tag.svelte.ts'

export type SettingChanges = CallArgument<'settings/write'>

/** The settings of the desk, with what is changed and not answered yet. */
export class Settings {
  now = $state.raw<DeskSettings>(usualSettings)
  /** Whether they were read, or cannot be: until then nothing is drawn that would look otherwise afterwards. */
  known = $state(false)
  /** What is not answered yet, in the order in which it was changed. */
  #underWay: readonly SettingChanges[] = []
  readonly #app: Asking

  constructor(app: Asking) {
    this.#app = app
    new QueryObserver(app.queries, deskSettings(app.bridge)).subscribe(({ isPending }) => {
      this.#show()
      this.known ||= !isPending
    })
  }

  /** Changes what is given, at once; answers why not where it cannot be, and then all is as it was. */
  async change(changes: SettingChanges): Promise<Failure | null> {
    const { bridge, queries } = this.#app
    this.#underWay = [...this.#underWay, changes]
    this.#show()
    const failure = await taken(queries, deskSettings(bridge), bridge.call('settings/write', changes))
    this.#underWay = this.#underWay.filter((other) => other !== changes)
    this.#show()
    return failure
  }

  /** Those that are stored, with what is under way. */
  #show(): void {
    const { bridge, queries } = this.#app
    const stored = queries.getQueryData(deskSettings(bridge).queryKey) ?? usualSettings
    const settings = this.#underWay.reduce(changed, stored)
    this.now = settings
    writeFormatsAs(settings.formats)
    document.documentElement.dataset['density'] = settings.density
  }
}
