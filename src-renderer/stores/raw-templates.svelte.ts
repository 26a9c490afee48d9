import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { RawSchedule, RawScheduleId, RawTemplate, RawTemplateId } from '#shared/raw/asking.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { Followed } from './followed.svelte.ts'

export type TemplateEntry = CallArgument<'raw/save-template'>['entry']
export type ScheduleEntry = CallArgument<'raw/save-schedule'>['entry']

type Stored = { readonly templates: readonly RawTemplate[]; readonly schedules: readonly RawSchedule[] }

/** The templates of an account, and when each is asked for by itself. */
export class RawTemplates {
  readonly #bridge: DeskBridge
  readonly #account: AccountId
  readonly #read: Followed<Stored>
  readonly #stop: () => void

  constructor(bridge: DeskBridge, account: AccountId) {
    this.#bridge = bridge
    this.#account = account
    this.#read = new Followed(async () => {
      const [templates, schedules] = await Promise.all([
        bridge.call('raw/templates', { account }),
        bridge.call('raw/schedules', { account }),
      ])
      if (!templates.ok) return templates
      if (!schedules.ok) return schedules
      return { ok: true, value: { templates: templates.value, schedules: schedules.value } }
    })
    this.#stop = bridge.on('raw/changed', (event) => {
      if (event.account === account) this.#read.changed()
    })
    void this.#read.read()
  }

  get list(): readonly RawTemplate[] {
    return this.#read.value?.templates ?? []
  }

  get known(): boolean {
    return this.#read.value !== null
  }

  get failure(): Failure | null {
    return this.#read.failure
  }

  of(id: RawTemplateId): RawTemplate | undefined {
    return this.list.find((rawTemplate) => rawTemplate.id === id)
  }

  schedulesOf(template: RawTemplateId): readonly RawSchedule[] {
    return (this.#read.value?.schedules ?? []).filter((schedule) => schedule.template === template)
  }

  /** Saves a template, a new one where `template` is null; answers why not. @param saved hears which one it is */
  save(
    template: RawTemplateId | null,
    entry: TemplateEntry,
    saved: (template: RawTemplateId) => void = () => undefined,
  ): Promise<Failure | null> {
    const saving = this.#bridge.call('raw/save-template', { account: this.#account, template, entry })
    void saving.then((outcome) => outcome.ok && saved(outcome.value.id))
    return this.#do(saving)
  }

  /** Removes a template with its schedules. */
  remove(template: RawTemplateId): Promise<Failure | null> {
    return this.#do(this.#bridge.call('raw/remove-template', { account: this.#account, template }))
  }

  /** Brings a removed template back, the same one, with its schedules. */
  undoRemove(template: RawTemplateId): Promise<Failure | null> {
    return this.#do(this.#bridge.call('raw/undo-remove-template', { account: this.#account, template }))
  }

  saveSchedule(schedule: RawScheduleId | null, entry: ScheduleEntry): Promise<Failure | null> {
    return this.#do(this.#bridge.call('raw/save-schedule', { account: this.#account, schedule, entry }))
  }

  removeSchedule(schedule: RawScheduleId): Promise<Failure | null> {
    return this.#do(this.#bridge.call('raw/remove-schedule', { account: this.#account, schedule }))
  }

  close(): void {
    this.#stop()
    this.#read.close()
  }

  async #do(doing: Promise<Outcome<unknown>>): Promise<Failure | null> {
    const outcome = await doing
    await this.#read.read()
    return outcome.ok ? null : outcome.failure
  }
}
