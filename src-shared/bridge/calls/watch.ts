import * as v from 'valibot'
import { alertEntry, alertId, findingId, mutedUntil, muteId, muteSubject } from '../../watch/alert-schemas.ts'
import { dismissals, maxFindings } from '../../watch/alerts.ts'
import type {
  Alert,
  AlertPreview,
  AlertState,
  Finding,
  FindingList,
  FreshFindings,
  Mute,
  Today,
} from '../../watch/alerts.ts'
import { noteEntry, noteId } from '../../watch/note-schemas.ts'
import type { DayNote } from '../../watch/notes.ts'
import { scheduleEntry, scheduleId } from '../../watch/schedule-schemas.ts'
import type { ScheduleState } from '../../watch/schedules.ts'
import type { Instant } from '../../values/ids.ts'
import { day, instant } from '../../values/schemas.ts'
import { anAccount, call, listOf, nothing, ofAccount, ruleCode, text, whole } from '../schemas.ts'

const aNote = ofAccount({ id: noteId })

/** Notes on days. `notes/changed` follows each change. Earlier figures of an account have the account's notes. */
export const noteCalls = {
  /** All notes of the account, by first day, then as added. */
  'notes/list': call(anAccount)<readonly DayNote[]>(),
  /** Adds a note. Fails as `invalid` about `text`, `days` or `view`. */
  'notes/add': call(ofAccount({ entry: noteEntry }))<DayNote>(),
  /** Replaces a note. Fails like `notes/add`. */
  'notes/change': call(v.strictObject({ ...aNote.entries, entry: noteEntry }))<DayNote>(),
  /** Removes a note and returns it, for `notes/add`. */
  'notes/remove': call(aNote)<DayNote>(),
} as const

const anAlert = ofAccount({ id: alertId })

/**
 * Alerts on figures, and what they found. An alert's figures are stored and refreshed as those of an offline view.
 * `alerts/changed` and `findings/changed` follow each change.
 */
export const alertCalls = {
  /** All alerts of the account, the oldest first. */
  'alerts/list': call(anAccount)<readonly AlertState[]>(),
  /** Adds an alert. With the `id` of a removed one, that alert again. Fails as `invalid` about `view`, `row`, `value` or `weekdays`, or beyond `maxAlerts`. */
  'alerts/add': call(ofAccount({ entry: alertEntry, id: v.optional(alertId) }))<Alert>(),
  /** Replaces an alert. What it found stays. */
  'alerts/change': call(v.strictObject({ ...anAlert.entries, entry: alertEntry }))<Alert>(),
  /** Removes an alert. What it found stays. */
  'alerts/remove': call(anAlert)<Alert>(),
  /**
   * Judges the stored days by an alert that need not exist. `rule` chooses the rule set of the band of a rule mix.
   * `reports/cancel` with its `key` ends it.
   */
  'alerts/preview': call(
    ofAccount({ entry: alertEntry, rule: v.exactOptional(ruleCode), key: text(200_000) }),
  )<AlertPreview>(),
  /** Findings of all accounts: those that stand, are new or have one of the `ids`, and the newest `others`. */
  'findings/list': call(
    v.strictObject({ others: whole(0, maxFindings), ids: listOf(findingId, maxFindings) }),
  )<FindingList>(),
  /** Findings of an account that stand, or that ended on or after a day. */
  'findings/since': call(ofAccount({ day }))<readonly Finding[]>(),
  /** Findings of all accounts that are not seen, dismissed or muted: how many, and the newest. */
  'findings/fresh': call(nothing)<FreshFindings>(),
  /** Marks findings as seen. */
  'findings/see': call(v.strictObject({ ids: listOf(findingId, maxFindings) }))<null>(),
  /** Dismisses a finding, or takes the dismissal back if null. */
  'findings/dismiss': call(
    v.strictObject({ id: findingId, reason: v.nullable(v.picklist(dismissals)) }),
  )<null>(),
  'mutes/list': call(anAccount)<readonly Mute[]>(),
  /** Mutes a subject, in place of its earlier mute. Fails as `invalid` about `until` if that is over or too far ahead. */
  'mutes/add': call(ofAccount({ subject: muteSubject, until: mutedUntil }))<Mute>(),
  'mutes/remove': call(ofAccount({ id: muteId }))<null>(),
  /**
   * All live accounts: yesterday, what is usual, findings, and what waits. From stored figures alone. `since`: the last
   * look at Today, after which restated days are new; null for none.
   */
  'today/read': call(v.strictObject({ since: v.nullable(instant) }))<Today>(),
  /** Notes that Today is opened. Returns when it was opened before; null if never. */
  'today/look': call(nothing)<Instant | null>(),
} as const

const aSchedule = ofAccount({ id: scheduleId })
const aRun = ofAccount({ id: scheduleId, day })

/** Files that are made by the clock. `schedules/changed` follows each change of a schedule or a run. */
export const scheduleCalls = {
  /** All schedules of the account, the oldest first. */
  'schedules/list': call(anAccount)<readonly ScheduleState[]>(),
  /**
   * Adds a schedule if `id` is null, or changes one. With `isNew`, adds the removed schedule of this id again. Fails as
   * `invalid` about `name`, `fileNames`, `subject`, `zone` or `folder`, or beyond `maxSchedules`.
   */
  'schedules/save': call(
    ofAccount({ id: v.nullable(scheduleId), entry: scheduleEntry, isNew: v.exactOptional(v.boolean()) }),
  )<ScheduleState>(),
  /** Removes a schedule and returns it, for `schedules/save`. Its files stay. */
  'schedules/remove': call(aSchedule)<ScheduleState>(),
  /** Asks for a folder. Only a folder that this returned, or that is stored, can be saved. Null if the user cancelled. */
  'schedules/choose-folder': call(anAccount)<string | null>(),
  /** Makes a missed or skipped run now. */
  'schedules/make': call(aRun)<null>(),
  /** Shows the first file of a run in the file manager. */
  'schedules/show': call(aRun)<null>(),
  /** Opens the mail program with subject and text. The user attaches the files. */
  'schedules/mail': call(aRun)<null>(),
} as const
