import type { DayRange } from '#shared/values/day.ts'
import type { OverviewAddress, ReportAddress } from '#shared/views/view-address.ts'
import type { Alert } from '#shared/watch/alerts.ts'
import type { ScheduleState, ScheduleSubject } from '#shared/watch/schedules.ts'
import type { DayNote } from '#shared/watch/notes.ts'

/** View and days that a note is written for. `note` is the note to change, if any. */
export type NotePlace = {
  readonly address: OverviewAddress | ReportAddress
  readonly range: DayRange
  readonly note?: DayNote
}

/** View that an alert is made for, and its row if only one is watched. `alert` is the alert to change, if any. */
export type AlertPlace = {
  readonly address: OverviewAddress | ReportAddress
  readonly row: { readonly key: string; readonly text: string } | null
  readonly alert?: Alert
}

/** What a new schedule saves, null to choose, and the schedule to change, if any. */
export type SchedulePlace = {
  readonly subject: ScheduleSubject | null
  readonly schedule?: ScheduleState
}

/** A form of which only one is open at a time. */
export class OpenForm<Place> {
  place = $state.raw<Place | null>(null)

  open(place: Place): void {
    this.place = place
  }

  close(): void {
    this.place = null
  }
}
