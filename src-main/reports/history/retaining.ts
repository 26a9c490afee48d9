import type { ManifestEntry } from './manifest.ts'
import type { PublishableFile } from './publishable.ts'

/** What a published folder is to hold. */
export type ToPublish = {
  /** Files of the history that are to lie there. */
  readonly files: readonly PublishableFile[]
  /** Files that lie there and stay, though the history has them no more. */
  readonly retained: readonly ManifestEntry[]
  /** How many files of the history wait: they share days with one that stays, and no day may stand twice. */
  readonly heldBack: number
}

/**
 * Which published files stay. One goes only where others that are to lie there cover every one of its days of that report, with
 * figures as new or newer: what is removed, lost or let go here is not removed from a team.
 * @param published what lies there whole, as the manifest says it
 * @param now milliseconds since 1970; figures that claim to come from later are no newer than any others
 */
export function retainedBeside(
  published: readonly ManifestEntry[],
  publishable: readonly PublishableFile[],
  now: number,
): ToPublish {
  let files = publishable
  for (;;) {
    const times = new Map<string, number>()
    for (const { subject, days } of files)
      for (const { day, fetchedAt } of days) times.set(`${subject.report} ${day}`, fetchedAt)
    const isCovered = ({ report, days }: ManifestEntry) =>
      days.every(({ day, fetchedAt }) => {
        const time = Date.parse(fetchedAt)
        return (times.get(`${report} ${day}`) ?? -Infinity) >= (time > now ? 0 : time)
      })
    const paths = new Set(files.map(({ path }) => path))
    const retained = published.filter((entry) => !paths.has(entry.path) && !isCovered(entry))
    const taken = new Set(retained.flatMap(({ report, days }) => days.map(({ day }) => `${report} ${day}`)))
    const free = files.filter(
      ({ subject, days }) => !days.some(({ day }) => taken.has(`${subject.report} ${day}`)),
    )
    // One that waits covers nothing: what it would have replaced may have to stay too.
    if (free.length === files.length) return { files, retained, heldBack: publishable.length - files.length }
    files = free
  }
}
