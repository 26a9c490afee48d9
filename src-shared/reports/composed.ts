/**
 * How much of a composed table was asked: of so many sources or campaigns that the look-up lists, those whose figures stand
 * in rows of their own. The others are part of "Other or none".
 */
export type Composed = { readonly asked: number; readonly of: number }

/** The same of an answer, and what is counted. */
export type ComposedPart = Composed & { readonly unit: 'sources' | 'campaigns' }

/** The row of what no source, or no campaign, of the table accounts for. */
export const otherLabel = 'Other or none'

/** More calls than this are made for one look only once a person has agreed to them. */
export const handful = 5

/** The one of several that lacks most; undefined where none lacks anything. */
export const minAsked = (all: readonly Composed[]): Composed | undefined =>
  all
    .filter(({ asked, of }) => asked < of)
    .sort((one, other) => other.of - other.asked - (one.of - one.asked))[0]
