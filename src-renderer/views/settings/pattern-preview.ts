import { patternParts } from '../../../src-shared/raw/settings.ts'

type Part = (typeof patternParts)[number]

/** Words between braces that stand for nothing: most likely slips of the hand. */
export function unknownParts(pattern: string): string[] {
  return [...pattern.matchAll(/\{([^{}]*)\}/g)]
    .map(([, part = '']) => part)
    .filter((part) => !patternParts.some((each) => each === part))
}

/** The file's name that a pattern gives an example; what no system takes in a name is left out, as it is of the real one. */
export function previewOf(pattern: string, example: Readonly<Record<Part, string>>): string {
  const filled = patternParts.reduce((text, part) => text.replaceAll(`{${part}}`, example[part]), pattern)
  const plain = filled.replaceAll(/[/\\:*?"<>|\p{Cc}\p{Cf}]/gu, ' ').replaceAll(/\s+/g, ' ')
  return `${plain.replace(/^[. ]+|[. ]+$/g, '') || example.name}.zip`
}
