import { stemAfter } from '#shared/downloads/download.ts'
import { patternParts } from '#shared/raw/settings.ts'
import type { Day } from '#shared/values/day.ts'

type Part = (typeof patternParts)[number]

/** Words between braces that stand for nothing: most likely slips of the hand. */
export function unknownParts(pattern: string): string[] {
  return [...pattern.matchAll(/\{([^{}]*)\}/g)]
    .map(([, part = '']) => part)
    .filter((part) => !patternParts.some((patternPart) => patternPart === part))
}

/** An example of a report, by what may stand in a pattern. */
type Example = Omit<Readonly<Record<Part, string>>, 'start' | 'end'> & {
  readonly start: Day
  readonly end: Day
}

/** The file's name that a pattern gives an example, as a file that is saved gets it. */
export function previewOf(pattern: string, { account, instance, ...report }: Example): string {
  return `${stemAfter(pattern, account, { ...report, instance_name: instance })}.zip`
}
