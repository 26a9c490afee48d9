import type { AccountDisk } from '#shared/app/disk.ts'
import { count, dayInFull, size } from '#renderer/components/formats.ts'

/** How many days are saved, each table's own counted. */
export const daysWords = (days: number): string =>
  days === 1 ? '1 daily table' : `${count(days)} daily tables`

/** Whole days that are saved: how much, how many, since when. */
export function historyWords({ bytes, days, since }: AccountDisk['history']): string {
  if (days === 0) return 'Nothing yet'
  const from = since === null ? '' : `, since ${dayInFull(since)}`
  return `${size(bytes)}: ${daysWords(days)}${from}`
}

export function answersWords({ pages, lookups }: AccountDisk['answers']): string {
  if (pages + lookups === 0) return 'Nothing yet'
  return `${size(pages + lookups)}: ${size(pages)} of pages, ${size(lookups)} of lists for filters`
}

export function downloadsWords({ files, bytes }: AccountDisk['downloads']): string {
  if (files === 0) return 'None saved'
  return `${size(bytes)} in ${files === 1 ? 'one file' : `${count(files)} files`}`
}

/** What "Remove saved figures" removes, in bytes. */
export const figuresOf = ({ history, answers }: AccountDisk): number =>
  history.bytes + answers.pages + answers.lookups

export const totalOf = (disk: AccountDisk): number => figuresOf(disk) + disk.downloads.bytes
