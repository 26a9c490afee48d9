import type { DayRange } from '#shared/values/day.ts'
import type { OverviewAddress, ReportAddress } from '#shared/views/view-address.ts'
import type { DayNote } from '#shared/watch/notes.ts'

/** View and days that a note is written for. `note` is the note to change, if any. */
type NotePlace = {
  readonly address: OverviewAddress | ReportAddress
  readonly range: DayRange
  readonly note?: DayNote
}

/** The form of a note. Only one is open at a time. */
export class NoteForm {
  place = $state.raw<NotePlace | null>(null)

  open(place: NotePlace): void {
    this.place = place
  }

  close(): void {
    this.place = null
  }
}
