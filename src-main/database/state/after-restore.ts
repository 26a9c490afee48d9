import type { Writer } from '../sqlite/database.ts'

/**
 * Makes a backup safe to go on with, for it does not know what happened since. A request that waited may have been sent,
 * so it is for the person to send it; turns of schedules count from now on; and the next list of raw reports is taken as
 * the first of its kind.
 */
export function afterRestore(into: Writer, now: number): void {
  into.together(() => {
    into.write(
      `UPDATE raw_requests SET state = ?, sent_at = coalesce(sent_at, made_at)
       WHERE report IS NULL AND coalesce(CASE WHEN json_valid(state) THEN state ->> 'kind' END, '') <> 'refused'`,
      JSON.stringify({ kind: 'unclear', since: now }),
    )
    into.write('UPDATE raw_schedules SET made_at = ?', now)
    into.write('UPDATE raw_lists SET anew = 1')
  })
}
