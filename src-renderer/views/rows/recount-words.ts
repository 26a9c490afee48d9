import type { Recount, RecountFigure, RecountReason } from '../../../src-shared/rows/answers.ts'
import { count } from '../../parts/formats.ts'
import { formatTag } from '../../state/format-tag.svelte.ts'

/** Small shares need decimals: `0.02 %` is not nothing. */
const percent = (part: number) =>
  new Intl.NumberFormat(formatTag(), { style: 'percent', maximumFractionDigits: 2 }).format(part)

/** What a recount comes to: `agrees`, or `differs by 12 of 48,120 (0.02%)`. */
export function verdictWords({ verdict, compared }: Recount): string {
  switch (verdict) {
    case 'agrees':
      return 'agrees'
    case 'nothing-saved':
      return 'there are no saved figures of these days to compare with'
    case 'differs': {
      const { differing, saved } = compared
      const part = saved > 0 ? ` (${percent(differing / saved)})` : ''
      return `differs by ${count(differing)} of ${count(saved)}${part}`
    }
  }
}

/** The same as a note by itself: `Agrees with the tables`, `Differs by 12 of 48,120 (0.02%)`. */
export function noteOf(recount: Recount): string {
  switch (recount.verdict) {
    case 'agrees':
      return 'Agrees with the tables'
    case 'differs':
      return `Differs ${verdictWords(recount).slice('differs '.length)}`
    case 'nothing-saved':
      return 'No saved figures of these days to compare with'
  }
}

/** Why rows and tables may differ. */
export const reasonWords: Readonly<Record<RecountReason, string>> = {
  filtered: 'The report was asked for with filters, so its rows are a part of what the tables count.',
  'not-settled': 'A day was not over, or still being judged, when the report was made.',
  restated: 'The service has changed a day since the report was made.',
  unreadable: 'Some lines of the file could not be read as rows.',
  'unknown-scope': 'It is not known of which instance, or of which days, these rows are.',
}

/** A line of the table: a day, and for each member what was counted, what is saved and the difference. */
export type RecountLine = {
  readonly day: string
  readonly figures: readonly (RecountFigure | undefined)[]
}

/** The figures by day, in the order in which they came. */
export function linesOf({ figures }: Recount): {
  readonly members: readonly string[]
  readonly lines: readonly RecountLine[]
} {
  const members = [...new Set(figures.map(({ member }) => member))]
  const days = [...new Set(figures.map(({ day }) => day))]
  const lines = days.map((day) => ({
    day,
    figures: members.map((member) => figures.find((each) => each.day === day && each.member === member)),
  }))
  return { members, lines }
}
