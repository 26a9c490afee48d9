import type { RawAccounts } from '../list/fetch-list.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
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
import { addDays, dayAt, weekdayOf } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { StoredSchedule } from '#main/database/state/raw-templates-repository.ts'
import { CalendarDateTime, toZoned } from '@internationalized/date'
import type { Day } from '#shared/values/day.ts'
import { checkDraft } from '#shared/raw/draft.ts'
import type { RawRules } from '#shared/raw/draft.ts'
import { readTyped } from '#shared/values/typed-text.ts'

type Entry = Pick<RawSchedule, 'template' | 'when' | 'paused'>

/**
 * The occurrence that is due: the latest alone, whatever was missed before it. Those from before the schedule was made, changed
 * or set going again are not.
 */
function dueOccurrence(
  { when, paused, since, lastTurn }: StoredSchedule,
  zone: string,
  now: number,
): Occurrence | null {
  const found = paused ? null : latestOccurrence(when, zone, now)
  if (!found || found.time <= since) return null
  // A last occurrence far ahead was had while the clock was wrong. What it is followed by is still asked for once: see the store.
  const isAhead = lastTurn !== null && lastTurn > addDays(dayAt(now, zone), 1)
  return lastTurn === null || isAhead || found.day > lastTurn ? found : null
}

/** Templates that are asked for automatically. Each occurrence is asked for once, whatever ends the app in between. */
export class Schedules {
  readonly #store: Store
  readonly #accounts: RawAccounts
  readonly #clock: Clock

  constructor(store: Store, accounts: RawAccounts, clock: Clock) {
    this.#store = store
    this.#accounts = accounts
    this.#clock = clock
  }

  async list(account: AccountId): Promise<readonly RawSchedule[]> {
    const stored = await this.#store.run('raw-schedules/list', account)
    return stored.map((storedSchedule) => this.#shown(storedSchedule))
  }

  /** @throws DeskFailure `invalid` where its template has gone or leaves its instance open */
  async save(account: AccountId, id: RawScheduleId | null, entry: Entry): Promise<RawSchedule> {
    const [templates, schedules] = await Promise.all([
      this.#store.run('raw-templates/list', account),
      this.#store.run('raw-schedules/list', account),
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
      since: goesOn ? before.since : (this.#clock.now() as Instant),
      lastTurn: before?.lastTurn ?? null,
    }
    await this.#store.run('raw-schedules/put', { schedule, isNew: id === null })
    return this.#shown(schedule)
  }

  /** Puts what is due into the queues. @returns the accounts whose queues have more */
  async takeDue(): Promise<readonly AccountId[]> {
    const taken: AccountId[] = []
    for (const { id } of this.#accounts.list()) if (await this.#takeDueOf(id)) taken.push(id)
    return taken
  }

  /** When the next occurrence of all is; null where there is none. */
  async nextAt(): Promise<number | null> {
    const lists = await Promise.all(
      this.#accounts.list().map(({ id }) => this.#store.run('raw-schedules/list', id)),
    )
    const next = lists.flat().flatMap((list) => this.#shown(list).nextTurn ?? [])
    return next.length > 0 ? Math.min(...next) : null
  }

  async #takeDueOf(account: AccountId): Promise<boolean> {
    const schedules = await this.#store.run('raw-schedules/list', account)
    if (schedules.length === 0) return false
    const templates = new Map<RawTemplateId, RawTemplate>()
    for (const rawTemplate of await this.#store.run('raw-templates/list', account))
      templates.set(rawTemplate.id, rawTemplate)
    let added = false
    for (const schedule of schedules) {
      const template = templates.get(schedule.template)
      const due = dueOccurrence(schedule, this.#zoneOf(account), this.#clock.now())
      if (!template || !due) continue
      const isNew = await this.#store.run('raw-schedules/take-turn', {
        id: randomUUID() as RawRequestId,
        account,
        draft: { ...template.draft, ...rawRangeOf(template.period, due.day) },
        template: template.id,
        schedule: schedule.id,
        turn: due.day,
        madeAt: this.#clock.now() as Instant,
        state: { kind: 'waiting', for: 'turn' },
        sentAt: null,
      })
      added ||= isNew
    }
    return added
  }

  #zoneOf(account: AccountId): string {
    return this.#accounts.account(account).dayZone
  }

  #shown({ id, account, template, when, paused, lastTurn }: StoredSchedule): RawSchedule {
    const now = this.#clock.now()
    const next = paused ? null : nextOccurrence(when, this.#zoneOf(account), now)
    return { id, template, when, paused, lastTurn, nextTurn: next ? (next.time as Instant) : null }
  }
}

/** One time at which a schedule is due: the day that names it, and the moment from which it is due, in milliseconds since 1970. */
type Occurrence = { readonly day: Day; readonly time: number }

/** From one occurrence to the next there are never more days: monthly ones come on its last day at the latest. */
const maxDaysBetween = 32

/**
 * When an hour of a day begins in a zone. An hour that the clocks skip begins when they have skipped it; one that they
 * have twice begins with the first.
 */
export function hourOf(day: Day, hour: number, zone: string): number {
  const [year, month, date] = day.split('-').map(Number)
  if (year === undefined || month === undefined || date === undefined) throw new RangeError(`No day: ${day}`)
  return toZoned(new CalendarDateTime(year, month, date, hour), zone, 'compatible')
    .toDate()
    .getTime()
}

const isLastOfMonth = (day: Day) => addDays(day, 1).endsWith('-01')

/** Whether a schedule is due on a day. In a month without that day, it is the month's last. */
function occursOn(when: RawEvery, day: Day): boolean {
  switch (when.kind) {
    case 'day':
      return true
    case 'week':
      return weekdayOf(day) === when.weekday
    case 'month': {
      const date = Number(day.slice(8))
      return date === when.day || (date < when.day && isLastOfMonth(day))
    }
  }
}

/** The first occurrence among some days, in the order given, whose moment is as wanted. */
function firstOf(
  when: RawEvery,
  zone: string,
  days: readonly Day[],
  isWanted: (time: number) => boolean,
): Occurrence | null {
  for (const day of days.filter((item) => occursOn(when, item))) {
    const time = hourOf(day, when.hour, zone)
    if (isWanted(time)) return { day, time }
  }
  return null
}

const daysFrom = (day: Day, step: 1 | -1) =>
  Array.from({ length: maxDaysBetween + 2 }, (_, count) => addDays(day, count * step))

/** The occurrence that came last by `now`; it may come this very moment. */
export function latestOccurrence(when: RawEvery, zone: string, now: number): Occurrence | null {
  return firstOf(when, zone, daysFrom(dayAt(now, zone), -1), (time) => time <= now)
}

/** The occurrence that comes next, later than `now`. */
export function nextOccurrence(when: RawEvery, zone: string, now: number): Occurrence | null {
  return firstOf(when, zone, daysFrom(dayAt(now, zone), 1), (time) => time > now)
}

type TemplateEntry = Omit<RawTemplate, 'id'>

const longestName = 200

/** A template's name on one line. @throws DeskFailure about `name` */
function checkName(typed: string): string {
  const whole = typed.replace(/\p{Cs}/gu, '\u{fffd}').normalize('NFC')
  const name = readTyped(whole, 'name')
  if (name === '') throw invalid('Enter a name for the template.', 'name')
  if (name.length > longestName) throw invalid(`A name has at most ${longestName} characters.`, 'name')
  return name
}

/**
 * A template as it is kept. Its instance may be left open, to be chosen each time; its days are those of its period.
 * @throws DeskFailure `invalid` with the field that is wrong
 */
export function checkTemplate({ draft, name, ...entry }: TemplateEntry, rules: RawRules): TemplateEntry {
  const checked = checkDraft({ ...draft, start: rules.today, end: rules.today }, rules)
  const trouble =
    checked.kind === 'order' ? undefined : checked.troubles.find(({ field }) => field !== 'instance')
  if (trouble) throw invalid(trouble.words, trouble.field)
  return { ...entry, name: checkName(name), draft: { ...draft, name: readTyped(draft.name, 'name') } }
}
