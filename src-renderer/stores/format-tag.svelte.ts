import type { FormatTag } from '#shared/app/settings.ts'

let tag = $state.raw<string | undefined>(undefined)

/** Whose way numbers and dates are written in; undefined for the system's. Whoever formats while drawing follows it. */
export const formatTag = (): string | undefined => tag

/** Writes numbers and dates in another way from now on, in all of the window. */
export function writeFormatsAs(chosen: FormatTag): void {
  tag = chosen === 'system' ? undefined : chosen
}
