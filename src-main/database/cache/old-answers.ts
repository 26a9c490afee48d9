import { openHandle, writerOver } from '../sqlite/database.ts'
import type { Writer } from '../sqlite/database.ts'
import { isOld, oldFile } from './old-file.ts'

/** Reading so much takes less than half a second; older answers are asked for again. In bytes. */
const max = 64_000_000

/**
 * Copies the newest answers that version 0.1.0 kept into a cache that has none. An answer that is there already stays, so
 * that this can be done again. What cannot be read is left out.
 */
export function takeOverAnswers(folder: string, into: Writer): void {
  if (!isOld(folder) || into.row('SELECT 1 FROM answers LIMIT 1')) return
  let taken = 0
  try {
    const handle = openHandle(oldFile(folder), { readonly: true })
    try {
      into.together(() => {
        for (const row of writerOver(handle).each('SELECT * FROM answers ORDER BY fetched_at DESC')) {
          const text = String(row['text'])
          taken += text.length
          if (taken > max) break
          into.write(
            `INSERT INTO answers (owner, key, path, first_day, last_day, fetched_at, made_of, text) VALUES (?, ?, ?, ?, ?, ?, '', ?)
             ON CONFLICT DO NOTHING`,
            ...[String(row['account']), String(row['key']), String(row['path'])],
            ...[textOrNull(row['first_day']), textOrNull(row['last_day']), Number(row['fetched_at']), text],
          )
        }
      })
    } finally {
      handle.close()
    }
  } catch {
    // They are asked for again.
  }
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
