import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { DayNote } from '#shared/watch/notes.ts'
import type { WindowApp } from '../stores/app.ts'
import { changing, readingOf } from './answers.ts'

/** All notes of an account. `notes/changed` makes them stale (events.ts). */
export const noteList = (bridge: DeskBridge, account: AccountId) =>
  readingOf(bridge, ['notes', account], 'notes/list', { account })

export const addNote = changing('notes/add')

export const changeNote = changing('notes/change')

/** Deletes a note. The message of success has an Undo, which adds the note again. */
export async function deleteNote(
  { bridge, messages }: Pick<WindowApp, 'bridge' | 'messages'>,
  account: AccountId,
  { id }: Pick<DayNote, 'id'>,
): Promise<void> {
  const removed = await bridge.call('notes/remove', { account, id })
  if (!removed.ok) return messages.show(removed.failure.message)
  const { id: _id, ...entry } = removed.value
  const undo = async () => {
    const failure = await addNote({ bridge }, { account, entry } satisfies CallArgument<'notes/add'>)
    if (failure) messages.show(failure.message)
  }
  messages.show('Note deleted.', { words: 'Undo', run: () => void undo() })
}
