import { join } from 'node:path'
import { removeFile } from '../sqlite/open-file.ts'
import { placeFile } from '../sqlite/place-file.ts'
import { stateFile } from './schema.ts'

/**
 * Makes a state under a temporary name, which gets its own once it is whole.
 * @param make writes and closes it; where it throws, nothing is left
 */
export function makeState(folder: string, make: (draft: string) => void): void {
  const draft = join(folder, 'state.being-made.sqlite')
  removeFile(draft)
  try {
    make(draft)
    placeFile(draft, stateFile(folder))
  } finally {
    removeFile(draft)
  }
}
