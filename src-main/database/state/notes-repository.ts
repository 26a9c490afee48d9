import * as v from 'valibot'
import { invalid } from '#shared/api/failure.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { day, json } from '#shared/values/schemas.ts'
import { noteId, noteSubject } from '#shared/watch/note-schemas.ts'
import type { DayNote, NoteId } from '#shared/watch/notes.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { flag, has, insert, remove, table, update } from '../sqlite/database.ts'

/** Maximum number of notes per account. */
const maxNotes = 10_000

const notes = table(
  'notes',
  v.pipe(
    v.object({
      id: noteId,
      firstDay: day,
      lastDay: day,
      text: v.string(),
      subject: json(noteSubject),
      leavesOut: flag,
    }),
    v.transform(({ firstDay: start, lastDay: end, ...stored }): DayNote => ({
      ...stored,
      range: { start, end },
    })),
  ),
)

type ANote = { readonly account: AccountId; readonly id: NoteId }
type NoteOfAccount = { readonly account: AccountId; readonly note: DayNote }

const noteGone = () => invalid('This note was deleted.', 'note')

/** Lists the notes of an account, by first day, then as added. Skips invalid rows. */
export const listNotes = (from: Reader, account: AccountId): readonly DayNote[] =>
  notes.list(from, 'WHERE account = ? ORDER BY first_day, rowid', account)

const valuesOf = ({ range, text, subject, leavesOut }: DayNote) => ({
  ...{ firstDay: range.start, lastDay: range.end, text, subject, leavesOut },
})

export const noteOperations = {
  'notes/list': listNotes,
  /** Lists the notes of an account that leave days from `since` on out of what is usual. */
  'notes/leaving-out': (
    from: Reader,
    { account, since }: { readonly account: AccountId; readonly since: Day },
  ): readonly DayNote[] =>
    notes.list(from, 'WHERE account = ? AND leaves_out = 1 AND last_day >= ? ORDER BY rowid', account, since),
  /** @throws DeskFailure `invalid` if the account was removed or has too many notes */
  'notes/add': (into: Writer, { account, note }: NoteOfAccount): void =>
    into.together(() => {
      if (!has(into, 'accounts', { id: account })) throw invalid('This account has been removed.', 'account')
      const there = into.row('SELECT count(*) AS n FROM notes WHERE account = ?', account)
      if (Number(there?.['n']) >= maxNotes) throw tooMany()
      insert(into, 'notes', { id: note.id, account, ...valuesOf(note) })
    }),
  /** Replaces a note. @returns the note before @throws DeskFailure `invalid` if the note was removed */
  'notes/change': (into: Writer, { account, note }: NoteOfAccount): DayNote =>
    into.together(() => {
      const before = notes.first(into, 'WHERE account = ? AND id = ?', account, note.id)
      if (!before) throw noteGone()
      update(into, 'notes', { account, id: note.id }, valuesOf(note))
      return before
    }),
  /** Removes a note. @returns the note @throws DeskFailure `invalid` if the note was removed */
  'notes/remove': (from: Writer, { account, id }: ANote): DayNote =>
    from.together(() => {
      const note = notes.first(from, 'WHERE account = ? AND id = ?', account, id)
      if (!note) throw noteGone()
      remove(from, 'notes', { account, id })
      return note
    }),
} as const

const tooMany = () =>
  invalid(`An account can have ${maxNotes.toLocaleString('en')} notes. Delete some first.`)
