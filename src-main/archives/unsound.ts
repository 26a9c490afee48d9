import { DeskFailure } from '#shared/app/desk-failure.ts'

/** There is no answer, because the files that were asked about are not there as they were written. */
export class UnsoundRows extends DeskFailure {}

export const rowsAreDamaged = () =>
  new UnsoundRows({
    kind: 'disk',
    message: 'These rows were damaged on the disk. They are read in again where the archive is still there.',
  })

export const rowsAreOthers = () =>
  new UnsoundRows({
    kind: 'invalid',
    message: 'These rows were removed or read in again meanwhile. Please try again.',
  })

export const rowsAreAway = () =>
  new DeskFailure({
    kind: 'disk',
    message:
      'These rows cannot be read at the moment. They are still in the profile folder: check that its disk is connected and may be read.',
  })
