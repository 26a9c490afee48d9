import * as v from 'valibot'
import { alertEntry, alertId, findingId, mutedUntil, muteId, muteSubject } from '../../watch/alert-schemas.ts'
import { dismissals } from '../../watch/alerts.ts'
import type { Alert, AlertPreview, AlertState, FindingList, Mute, Today } from '../../watch/alerts.ts'
import { noteEntry, noteId } from '../../watch/note-schemas.ts'
import type { DayNote } from '../../watch/notes.ts'
import { accountId, anAccount, call, listOf, nothing, ofAccount, ruleCode } from '../schemas.ts'

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
  /** Judges the stored days by an alert that need not exist. `rule` chooses the rule set of the band of a rule mix. */
  'alerts/preview': call(ofAccount({ entry: alertEntry, rule: v.exactOptional(ruleCode) }))<AlertPreview>(),
  /** Findings of all accounts, or of one. */
  'findings/list': call(v.strictObject({ account: v.nullable(accountId) }))<FindingList>(),
  /** Marks findings as seen. */
  'findings/see': call(v.strictObject({ ids: listOf(findingId, 10_000) }))<null>(),
  /** Dismisses a finding, or takes the dismissal back if null. */
  'findings/dismiss': call(
    v.strictObject({ id: findingId, reason: v.nullable(v.picklist(dismissals)) }),
  )<null>(),
  'mutes/list': call(anAccount)<readonly Mute[]>(),
  /** Mutes a subject, in place of its earlier mute. Fails as `invalid` about `until` if that is over or too far ahead. */
  'mutes/add': call(ofAccount({ subject: muteSubject, until: mutedUntil }))<Mute>(),
  'mutes/remove': call(ofAccount({ id: muteId }))<null>(),
  /** All live accounts: yesterday, what is usual, and findings. From stored figures alone. */
  'today/read': call(nothing)<Today>(),
} as const
