import { endings, summaryOf } from '#shared/texts/raw.ts'
import { announcementKinds } from '#shared/raw/settings.ts'
import type { AnnouncementKind } from '#shared/raw/settings.ts'
import type { Shown } from '../helpers/notifications.ts'

/** What happened to a report, by its name. */
export type Told = { readonly name: string; readonly kind: AnnouncementKind }

const summary = /^Raw reports: /
const part = /^(\d+) (.+)$/

/** The words of a summary, such as "are ready", to their kind. */
const kindByWords = new Map(
  announcementKinds.flatMap((kind) =>
    [1, 2].map((count): [string, AnnouncementKind] => {
      const all = Array.from({ length: count }, () => ({
        account: 'a',
        name: 'a',
        kind,
        rows: null,
        size: null,
      }))
      const [, , words = ''] = part.exec(summaryOf(all).title.replace(summary, '')) ?? []
      return [words, kind]
    }),
  ),
)

type Counts = Readonly<Partial<Record<AnnouncementKind, number>>>

function countsIn(title: string): Counts {
  const counts: Partial<Record<AnnouncementKind, number>> = {}
  // "expires tomorrow, unsaved" has a comma of its own: a number begins the next part.
  for (const each of title.replace(summary, '').split(/, (?=\d+ )/)) {
    const [, count = '', words = ''] = part.exec(each) ?? []
    const kind = kindByWords.get(words)
    if (!kind) throw new Error(`Nobody knows what "${each}" tells of`)
    counts[kind] = (counts[kind] ?? 0) + Number(count)
  }
  return counts
}

/**
 * Compares what the daemon was handed with what there was to tell: each of it once, alone or counted in a summary.
 * @returns what is wrong, in words
 */
export function wrongIn(shown: readonly Shown[], expected: readonly Told[]): readonly string[] {
  const wrong: string[] = []
  const titleOf = ({ name, kind }: Told) => `${name} ${endings[kind]}`
  const singles = shown.filter(({ title }) => !summary.test(title)).map(({ title }) => title)
  const known = new Map(expected.map((each) => [titleOf(each), each]))
  for (const title of new Set(singles)) {
    const times = singles.filter((each) => each === title).length
    if (times > 1) wrong.push(`"${title}" came ${times} times`)
    if (!known.has(title)) wrong.push(`"${title}" came, and did not happen`)
  }
  const summaries = shown.filter(({ title }) => summary.test(title)).map(({ title }) => countsIn(title))
  for (const kind of announcementKinds) {
    const alone = singles.filter((title) => known.get(title)?.kind === kind).length
    const together = summaries.reduce((sum, counts) => sum + (counts[kind] ?? 0), 0)
    const due = expected.filter((each) => each.kind === kind).length
    if (alone + together !== due)
      wrong.push(`${kind}: ${alone} alone and ${together} in summaries, of ${due} in all`)
  }
  return wrong
}
