import { downloading } from './raw/downloading.ts'

/** What raw reports cost: saving a large archive. */
export async function raw(): Promise<string> {
  return await downloading()
}
