import { storedName } from '../entry.ts'

/**
 * A name as it stands in a statement. Only names that the desk made itself are ones: headers and texts are bound.
 * @throws RangeError for any other
 */
export function quoted(name: string): string {
  if (!storedName.test(name)) throw new RangeError('No name of a column of ours')
  return `"${name}"`
}
