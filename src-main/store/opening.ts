import type { Notice } from '../../src-shared/desk/state.ts'
import type { Failure } from '../../src-shared/service/failure.ts'

/** A damaged file that was put out of the way, and what could be read from it still. */
export type Rebuilt = {
  /** The name it has now, in the profile folder. */
  readonly setAside: string
  /** How many accounts were carried over into the new file. */
  readonly accounts: number
}

/** How the opening of the store went. In all three cases operations work; only after `ready` they last. */
export type Opening =
  | { readonly state: 'ready'; readonly rebuilt: Rebuilt | null }
  /** Disk or folder refuse: a copy in memory, with what could be read, serves this session. */
  | { readonly state: 'unkept'; readonly failure: Failure }
  /** The file is of a newer version of the app, and was left alone: an empty store in memory serves this session. */
  | { readonly state: 'newer'; readonly version: number; readonly known: number }

/** What the person should know of an opening; null where all is well. */
export function openingNotice(opening: Opening): Notice | null {
  switch (opening.state) {
    case 'ready':
      return opening.rebuilt && rebuiltNotice(opening.rebuilt)
    case 'unkept':
      return {
        id: 'store-unkept',
        tone: 'trouble',
        title: 'Nothing can be kept',
        text: `${opening.failure.message} Until then, what you do here is gone when Traffic Desk closes.`,
      }
    case 'newer':
      return {
        id: 'store-newer',
        tone: 'trouble',
        title: 'Kept by a newer version',
        text:
          'What is kept here was written by a newer version of Traffic Desk, and was left as it is. ' +
          'Please install the newer version. Until then, nothing new is kept.',
      }
  }
}

export function rebuiltNotice({ setAside, accounts }: Rebuilt): Notice {
  const carried = accounts === 0 ? 'No account could be carried over.' : 'Your accounts were carried over.'
  return {
    id: 'store-rebuilt',
    tone: 'warning',
    title: 'What was kept was damaged',
    text: `The damaged file was set aside as ${setAside}, and a new one was begun. ${carried} Reports are asked for again.`,
  }
}
