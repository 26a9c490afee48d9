import type { CaseId } from '#shared/cases/case.ts'
import { unknownZoneWords } from '#shared/texts/schedules.ts'
import { isZone } from '#shared/values/day.ts'
import type { Weekday } from '#shared/views/period.ts'
import type { SavedViewId } from '#shared/views/saved-views.ts'
import { formatsOf, patienceLimits, usualFileNames } from '#shared/watch/schedules.ts'
import type { ScheduleEntry, ScheduleFormat, ScheduleRule, ScheduleSubject } from '#shared/watch/schedules.ts'

/** A field of the form and what is wrong with it. The main process uses the same names. */
export type ScheduleFault = { readonly field: string; readonly words: string }

const hoursOf = { hours: 1, days: 24 } as const
export type PatienceUnit = keyof typeof hoursOf
export const patienceUnits = Object.keys(hoursOf) as readonly PatienceUnit[]

/** Hours until every day of a report that ends yesterday is settled. */
const HOURS_TO_SETTLE = 72

const timeOf = ({ hour, minute }: ScheduleRule): string =>
  [hour, minute].map((part) => String(part).padStart(2, '0')).join(':')

/** What is entered in the form of a schedule. */
export class ScheduleForm {
  kind = $state<ScheduleSubject['kind']>('views')
  views = $state.raw<readonly SavedViewId[]>([])
  caseId = $state.raw<CaseId | null>(null)
  #format = $state<ScheduleFormat>('pdf')
  /** Null until the user types a name. */
  #typedName = $state<string | null>(null)
  fileNames = $state(usualFileNames)
  repeats = $state<ScheduleRule['days']['kind']>('week')
  weekdays = $state.raw<readonly Weekday[]>([1])
  day = $state(1)
  time = $state('08:00')
  zone = $state('UTC')
  folder = $state.raw<string | null>(null)
  #settled = $state(false)
  /** Null while the field holds no number. */
  patience = $state<number | null>(1)
  unit = $state<PatienceUnit>('days')
  readonly #paused: boolean
  readonly #suggestName: (subject: ScheduleSubject) => string

  /**
   * @param given the schedule to change, or the subject of a new one
   * @param zone usual zone of a new schedule
   * @param suggestName returns a name for a subject
   */
  constructor(
    given: ScheduleEntry | ScheduleSubject | null,
    zone: string,
    suggestName: (subject: ScheduleSubject) => string,
  ) {
    this.#suggestName = suggestName
    this.zone = zone
    const entry = given !== null && 'rule' in given ? given : null
    const subject = entry?.subject ?? (given !== null && 'kind' in given ? given : null)
    if (subject) this.#takeSubject(subject)
    if (entry) this.#take(entry)
    this.#paused = entry?.paused ?? false
  }

  get formats(): readonly ScheduleFormat[] {
    return formatsOf(this.kind)
  }

  /** The chosen format, or the usual one if the subject does not have it. */
  get format(): ScheduleFormat {
    return this.formats.find((format) => format === this.#format) ?? this.formats[0] ?? 'pdf'
  }

  set format(format: ScheduleFormat) {
    this.#format = format
  }

  /** Null while nothing is chosen. */
  get subject(): ScheduleSubject | null {
    switch (this.kind) {
      case 'today':
        return { kind: 'today' }
      case 'views':
        return this.views.length === 0 ? null : { kind: 'views', views: [...this.views] }
      case 'case':
        return this.caseId === null ? null : { kind: 'case', id: this.caseId }
    }
  }

  get name(): string {
    return this.#typedName ?? (this.subject ? this.#suggestName(this.subject) : '')
  }

  set name(name: string) {
    this.#typedName = name
  }

  get settled(): boolean {
    return this.#settled
  }

  /** Only the days of views become final: Today is made on its own day, and a case is made already. */
  get canSettle(): boolean {
    return this.kind === 'views'
  }

  /** Figures settle after days, so a shorter patience would skip every run. */
  set settled(settled: boolean) {
    this.#settled = settled
    if (settled && (this.#hours ?? 0) < HOURS_TO_SETTLE) this.#setPatience(HOURS_TO_SETTLE)
  }

  /** Null without a valid time. */
  get rule(): ScheduleRule | null {
    const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)/.exec(this.time) ?? []
    if (hour === undefined || minute === undefined) return null
    if (this.repeats === 'week' && this.weekdays.length === 0) return null
    return {
      days:
        this.repeats === 'week'
          ? { kind: 'week', weekdays: [...this.weekdays] }
          : { kind: 'month', day: this.day },
      ...{ hour: Number(hour), minute: Number(minute), zone: this.zone },
    }
  }

  /** Null while an entry is missing or invalid. */
  get entry(): ScheduleEntry | null {
    const { subject, rule } = this
    const patience = this.#hours
    if (!subject || !rule || patience === null) return null
    return {
      ...{ name: this.name, fileNames: this.fileNames, subject, format: this.format, rule },
      ...{ folder: this.folder, settled: this.canSettle && this.settled, patience, paused: this.#paused },
    }
  }

  /** The first missing or invalid entry; null if there is none. */
  get fault(): ScheduleFault | null {
    if (!this.subject) {
      const words = this.kind === 'views' ? 'Choose at least one view.' : 'Choose a case.'
      return { field: 'subject', words }
    }
    if (this.repeats === 'week' && this.weekdays.length === 0)
      return { field: 'rule', words: 'Choose at least one weekday.' }
    if (!this.rule) return { field: 'time', words: 'Enter a time.' }
    if (!isZone(this.zone)) return { field: 'zone', words: unknownZoneWords }
    if (this.#hours === null) return { field: 'patience', words: 'Enter a whole number, up to 7 days.' }
    return null
  }

  /** Null if it is no whole number of hours within the limits. */
  get #hours(): number | null {
    const hours = (this.patience ?? Number.NaN) * hoursOf[this.unit]
    return Number.isInteger(hours) && hours >= patienceLimits.min && hours <= patienceLimits.max
      ? hours
      : null
  }

  #setPatience(hours: number): void {
    this.unit = hours % hoursOf.days === 0 ? 'days' : 'hours'
    this.patience = hours / hoursOf[this.unit]
  }

  #takeSubject(subject: ScheduleSubject): void {
    this.kind = subject.kind
    if (subject.kind === 'views') this.views = subject.views
    if (subject.kind === 'case') this.caseId = subject.id
  }

  #take({ name, fileNames, format, rule, folder, settled, patience }: ScheduleEntry): void {
    const { days, zone } = rule
    this.#typedName = name
    this.fileNames = fileNames
    this.#format = format
    this.repeats = days.kind
    if (days.kind === 'week') this.weekdays = days.weekdays
    else this.day = days.day
    this.time = timeOf(rule)
    this.zone = zone
    this.folder = folder
    this.#settled = settled
    this.#setPatience(patience)
  }
}
