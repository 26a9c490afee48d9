import type { Recount, RecountFigure } from '#shared/archives/rows.ts'
import { recountNote, recountVerdict } from '#shared/texts/archives.ts'
import { formatTag } from '#renderer/stores/format-tag.svelte.ts'

/** What a recount comes to: `agrees`, or `differs by 12 of 48,120 (0.02%)`. */
export const verdictWords = (recount: Recount): string => recountVerdict(recount, formatTag())

/** The same as a note by itself. */
export const noteOf = (recount: Recount): string => recountNote(recount, formatTag())

export { recountReasonWords as reasonWords } from '#shared/texts/archives.ts'

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
    figures: members.map((member) =>
      figures.find((figure) => figure.day === day && figure.member === member),
    ),
  }))
  return { members, lines }
}
