import { day } from '#shared/values/day.ts'
import type { DayNote, NoteEntry, NoteId } from '#shared/watch/notes.ts'
import { FakeDesk, account, failed, good } from './fake-desk.ts'

/** A note of one day or some, of the whole account unless a test says otherwise. */
export const note = (
  number: number,
  start: string,
  changes: Partial<DayNote> = {},
  end = start,
): DayNote => ({
  id: `33333333-3333-4333-8333-${String(number).padStart(12, '0')}` as NoteId,
  ...{ text: `Note ${number}`, subject: { kind: 'account' }, leavesOut: false },
  range: { start: day(start), end: day(end) },
  ...changes,
})

/** A desk that keeps notes, as the main process does. */
export function deskWithNotes(notes: readonly DayNote[], desk = new FakeDesk()) {
  let list = notes
  const changed = (next: readonly DayNote[]) => {
    list = next
    desk.emit('notes/changed', { account: account.id, leavesOut: true })
  }
  const made = (id: NoteId, entry: NoteEntry): DayNote => ({ ...entry, id })
  desk
    .answer('notes/list', () => good(list))
    .answer('notes/add', ({ entry }) => {
      const added = made(`44444444-4444-4444-8444-${String(list.length).padStart(12, '0')}` as NoteId, entry)
      changed([...list, added])
      return good(added)
    })
    .answer('notes/change', ({ id, entry }) => {
      changed(list.map((each) => (each.id === id ? made(id, entry) : each)))
      return good(made(id, entry))
    })
    .answer('notes/remove', ({ id }) => {
      const removed = list.find((each) => each.id === id)
      changed(list.filter((each) => each.id !== id))
      return removed ? good(removed) : failed('invalid')
    })
  return { desk, list: () => list }
}
