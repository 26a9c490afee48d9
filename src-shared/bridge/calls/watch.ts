import * as v from 'valibot'
import { noteEntry, noteId } from '../../watch/note-schemas.ts'
import type { DayNote } from '../../watch/notes.ts'
import { anAccount, call, ofAccount } from '../schemas.ts'

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
