import { DeskFailure } from './desk-failure.ts'

/** For what has its place and is not there yet. */
export const notYet = (): Promise<never> =>
  Promise.reject(new DeskFailure({ kind: 'invalid', message: 'Traffic Desk cannot do this yet.' }))
