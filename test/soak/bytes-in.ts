import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** How much lies in a folder and all that it holds. What goes meanwhile counts nothing. */
export const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
