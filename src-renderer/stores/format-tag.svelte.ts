import type { FormatTag } from '#shared/app/settings.ts'

let tag = $state.raw<string | undefined>(undefined)

/** Language tag for numbers and dates; undefined for the system's. Reactive: components that format depend on it. */
export const formatTag = (): string | undefined => tag

/** Changes the format of numbers and dates in the whole window. */
export function writeFormatsAs(chosen: FormatTag): void {
  tag = chosen === 'system' ? undefined : chosen
}
