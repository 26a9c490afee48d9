import type { RawReport } from '../api/answers.ts'
import { bytesOf, charactersOf, safeStem } from '../values/text.ts'
import { patternParts } from './settings.ts'

export type NamedReport = Pick<RawReport, 'name' | 'start' | 'end' | 'type' | 'instance_name'>
type Part = (typeof patternParts)[number]

/** Names of people and services give way, the longest first, so that days stay whole; in characters and bytes. */
const MAX_CHARACTERS = 96
const MAX_BYTES = 160

const partIn = new RegExp(`\\{(${patternParts.join('|')})\\}`, 'g')
/** A pattern is typed by a person; more of it than this is an accident. */
const LONGEST_PATTERN = 200

/**
 * A file's name without its ending, after a pattern (settings.ts). Everything that goes into it was written
 * by somebody else: the result is safe on every system, and names a file of the folder itself.
 */
export function stemAfter(pattern: string, account: string, report: NamedReport): string {
  const parts: Record<Part, string> = {
    account: plain(account),
    name: plain(report.name),
    start: report.start ?? '',
    end: report.end ?? '',
    type: plain(report.type),
    instance: plain(report.instance_name),
  }
  const filled = () =>
    pattern
      .slice(0, LONGEST_PATTERN)
      .replaceAll(partIn, (_, part: string) => parts[part as Part])
      .replace(/\s+/g, ' ')
  for (let longest = longestOf(parts); longest !== null && isLong(filled()); longest = longestOf(parts)) {
    parts[longest] = charactersOf(parts[longest]).slice(0, -1).join('').trimEnd()
  }
  return safeStem(filled(), safeStem(parts.name, 'Raw report'))
}

const plain = (text: string) => safeStem(text, '')

const isLong = (stem: string) => stem.length > MAX_CHARACTERS || bytesOf(stem) > MAX_BYTES

/** The longest part that says the least by its end. */
function longestOf(parts: Readonly<Record<Part, string>>): Part | null {
  const found = (['account', 'name', 'instance', 'type'] as const).toSorted(
    (a, b) => parts[b].length - parts[a].length,
  )[0]
  return found === undefined || parts[found] === '' ? null : found
}
