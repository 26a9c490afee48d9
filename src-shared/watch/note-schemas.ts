import * as v from 'valibot'
import { instanceId, label, range, shortText, text, viewAddress } from '../bridge/schemas.ts'
import { branded } from '../values/schemas.ts'
import type { NoteEntry, NoteId, NoteSubject } from './notes.ts'

export const noteId = branded<NoteId>(v.pipe(v.string(), v.uuid()))

export const noteSubject: v.GenericSchema<unknown, NoteSubject> = v.variant('kind', [
  v.strictObject({ kind: v.literal('account') }),
  v.strictObject({ kind: v.literal('instance'), id: instanceId, name: shortText }),
  v.strictObject({ kind: v.literal('source'), source: label }),
  v.strictObject({ kind: v.literal('view'), view: viewAddress }),
])

/** The text may be longer than allowed: `checkedNote` has words for it. */
export const noteEntry: v.GenericSchema<unknown, NoteEntry> = v.strictObject({
  range,
  text: text(20_000),
  subject: noteSubject,
  leavesOut: v.boolean(),
})
