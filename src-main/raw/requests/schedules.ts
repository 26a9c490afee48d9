import type { RawContext } from '../raw-context.ts'
import { randomUUID } from 'node:crypto'
import { invalid } from '#shared/api/failure.ts'
import type {
  RawRequestId,
  RawSchedule,
  RawScheduleId,
  RawTemplate,
  RawTemplateId,
  RawEvery,
} from '#shared/raw/requests.ts'
import { rawRangeOf } from '#shared/raw/requests.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { StoredSchedule } from '#main/database/state/raw-templates-repository.ts'
import { latestOccurrence, nextOccurrence } from '#main/lib/occurrence.ts'
import type { Occurrence } from '#main/lib/occurrence.ts'
import { weekdays } from '#shared/watch/alerts.ts'
import type { ScheduleRule } from '#shared/watch/schedules.ts'
import { checkDraft } from '#shared/raw/draft.ts'
import type { RawRules } from '#shared/raw/draft.ts'
import { readTyped } from '#shared/values/typed-text.ts'

type Entry = Pick<RawSchedule, 'template' | 'when' | 'paused'>

/**
 * Returns the occurrence that is due: only the latest, skipping missed ones. Ignores occurrences before the schedule
 * was created, changed or resumed.
 */
function dueOccurrence(
  { when, paused, since, lastOccurrence }: StoredSchedule,
  zone: string,
  now: number,
): Occurrence | null {
  const found = paused ? null : latestOccurrence(ruleOf(when, zone), now)
  if (!found || found.time <= since) return null
  // A last occurrence far in the future dates from a wrong clock. The store still ensures that each occurrence is
  // requested once.
  const isAhead = lastOccurrence !== null && lastOccurrence > addDays(dayAt(now, zone), 1)
  return lastOccurrence === null || isAhead || found.day > lastOccurrence ? found : null
}

/** Templates that are requested automatically. Each occurrence is requested once, even after a crash. */
export class Schedules {
  readonly #context: RawContext

  constructor(context: RawContext) {
    this.#context = context
  }

  async list(account: AccountId): Promise<readonly RawSchedule[]> {
    const stored = await this.#context.store.run('raw-schedules/list', account)
    return stored.map((storedSchedule) => this.#shown(storedSchedule))
  }

  /** @throws DeskFailure `invalid` if the template was removed or has no instance */
  async save(account: AccountId, id: RawScheduleId | null, entry: Entry): Promise<RawSchedule> {
    const [templates, schedules] = await Promise.all([
      this.#context.store.run('raw-templates/list', account),
      this.#context.store.run('raw-schedules/list', account),
    ])
    if (templates.find((template) => template.id === entry.template)?.draft.instance === null) {
      throw invalid('This template has no instance. Choose one in the template first.', 'template')
    }
    const before = schedules.find((storedSchedule) => storedSchedule.id === id)
    const goesOn = before && !before.paused && JSON.stringify(before.when) === JSON.stringify(entry.when)
    const schedule: StoredSchedule = {
      ...entry,
      account,
      id: id ?? (randomUUID() as RawScheduleId),
      since: goesOn ? before.since : instantOf(this.#context.clock.now()),
      lastOccurrence: before?.lastOccurrence ?? null,
    }
    await this.#context.store.run('raw-schedules/put', { schedule, isNew: id === null })
    return this.#shown(schedule)
  }

  /** Queues due occurrences. @returns the accounts with new requests */
  async takeDue(): Promise<readonly AccountId[]> {
    const taken: AccountId[] = []
    for (const { id } of this.#context.accounts.list()) if (await this.#takeDueOf(id)) taken.push(id)
    return taken
  }

  /** Time of the next occurrence of all schedules; null if none. */
  async nextAt(): Promise<number | null> {
    const lists = await Promise.all(
      this.#context.accounts.list().map(({ id }) => this.#context.store.run('raw-schedules/list', id)),
    )
    const next = lists.flat().flatMap((list) => this.#shown(list).nextOccurrence ?? [])
    return next.length > 0 ? Math.min(...next) : null
  }

  async #takeDueOf(account: AccountId): Promise<boolean> {
    const schedules = await this.#context.store.run('raw-schedules/list', account)
    if (schedules.length === 0) return false
    const templates = new Map<RawTemplateId, RawTemplate>()
    for (const rawTemplate of await this.#context.store.run('raw-templates/list', account))
      templates.set(rawTemplate.id, rawTemplate)
    let added = false
    for (const schedule of schedules) {
      const template = templates.get(schedule.template)
      const due = dueOccurrence(schedule, this.#zoneOf(account), this.#context.clock.now())
      if (!template || !due) continue
      const isNew = await this.#context.store.run('raw-schedules/queue-occurrence', {
        id: randomUUID() as RawRequestId,
        account,
        draft: { ...template.draft, ...rawRangeOf(template.period, due.day) },
        template: template.id,
        schedule: schedule.id,
        occurrence: due.day,
        madeAt: instantOf(this.#context.clock.now()),
        state: { kind: 'waiting', for: 'turn' },
        sentAt: null,
      })
      added ||= isNew
    }
    return added
  }

  #zoneOf(account: AccountId): string {
    return this.#context.accounts.account(account).dayZone
  }

  #shown({ id, account, template, when, paused, lastOccurrence }: StoredSchedule): RawSchedule {
    const now = this.#context.clock.now()
    const next = paused ? null : nextOccurrence(ruleOf(when, this.#zoneOf(account)), now)
    return { id, template, when, paused, lastOccurrence, nextOccurrence: next ? instantOf(next.time) : null }
  }
}

/** The rule of a schedule in the account's zone. */
function ruleOf(when: RawEvery, zone: string): ScheduleRule {
  const at = { hour: when.hour, minute: 0, zone }
  switch (when.kind) {
    case 'day':
      return { ...at, days: { kind: 'week', weekdays } }
    case 'week':
      return { ...at, days: { kind: 'week', weekdays: [when.weekday] } }
    case 'month':
      return { ...at, days: when }
  }
}

type TemplateEntry = Omit<RawTemplate, 'id'>

const longestName = 200

/** Validates a template name. @throws DeskFailure about `name` */
function checkName(typed: string): string {
  const whole = typed.replace(/\p{Cs}/gu, '\u{fffd}').normalize('NFC')
  const name = readTyped(whole, 'name')
  if (name === '') throw invalid('Enter a name for the template.', 'name')
  if (name.length > longestName) throw invalid(`A name has at most ${longestName} characters.`, 'name')
  return name
}

/**
 * Validates a template. Its instance may be open; its days follow from its period.
 * @throws DeskFailure `invalid` with the field at fault
 */
export function checkTemplate({ draft, name, ...entry }: TemplateEntry, rules: RawRules): TemplateEntry {
  const checked = checkDraft({ ...draft, start: rules.today, end: rules.today }, rules)
  const trouble =
    checked.kind === 'order' ? undefined : checked.troubles.find(({ field }) => field !== 'instance')
  if (trouble) throw invalid(trouble.words, trouble.field)
  return { ...entry, name: checkName(name), draft: { ...draft, name: readTyped(draft.name, 'name') } }
}
