/** The groups of the palette, in the order in which they stand. */
export const groups = [
  'Recently used',
  'Days',
  'Views',
  'This report by',
  'Reports',
  'Instances',
  'Sources',
  'Do',
  'Go to',
  'Accounts',
  'Help',
] as const

export type Group = (typeof groups)[number]

/** Something that the palette can do. */
export type Entry = {
  /** The same from one opening to the next. */
  readonly id: string
  readonly group: Group
  readonly words: string
  /** Other words by which it is found. */
  readonly also: readonly string[]
  /** What stands at its end: its keys, or how it stands. */
  readonly note: string | null
  readonly run: () => void
}
