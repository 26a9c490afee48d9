import type { Recount, RecountReason } from './answers.ts'

/** What a recount comes to: `agrees`, or `differs by 12 of 48,120 (0.02%)`; numbers as a language writes them. */
export function recountVerdict({ verdict, compared }: Recount, tag: string | undefined): string {
  switch (verdict) {
    case 'agrees':
      return 'agrees'
    case 'nothing-saved':
      return 'there are no saved figures of these days to compare with'
    case 'differs': {
      const { differing, saved } = compared
      const { format } = new Intl.NumberFormat(tag)
      // Small shares need decimals: `0.02 %` is not nothing.
      const percent = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 2 })
      const part = saved > 0 ? ` (${percent.format(differing / saved)})` : ''
      return `differs by ${format(differing)} of ${format(saved)}${part}`
    }
  }
}

/** The same as a note by itself: `Agrees with the tables`, `Differs by 12 of 48,120 (0.02%)`. */
export function recountNote(recount: Recount, tag: string | undefined): string {
  switch (recount.verdict) {
    case 'agrees':
      return 'Agrees with the tables'
    case 'differs':
      return `Differs ${recountVerdict(recount, tag).slice('differs '.length)}`
    case 'nothing-saved':
      return 'No saved figures of these days to compare with'
  }
}

/** Why rows and tables may differ; `zone` is that by whose days the rows were counted. */
export const recountReasonWords = (reason: RecountReason, zone: string): string =>
  reason === 'zone'
    ? `Rows are counted by days of ${zone}; the service may begin its days elsewhere.`
    : reasons[reason]

const reasons: Readonly<Record<Exclude<RecountReason, 'zone'>, string>> = {
  filtered: 'The report was asked for with filters, so its rows are a part of what the tables count.',
  'not-settled': 'A day was not over, or still being judged, when the report was made.',
  restated: 'The service has changed a day since the report was made.',
  unreadable: 'Some lines of the file could not be read as rows.',
  outside: 'Some rows lie on other days than the report was asked for.',
  untimed: 'Some rows have no time that can be read, so they count for no day.',
  'unknown-scope': 'It is not known of which instance, or of which days, these rows are.',
}
