import { families } from '#shared/api/families.ts'

/** The counts that the specification names. */
const standard: ReadonlySet<string> = new Set(Object.values(families).flatMap(({ counts }) => counts))

/** Every other letter by its number: engines tell names apart neither by case nor by what is no letter. */
const escaped = (header: string) =>
  [...header]
    .map((letter) =>
      /[A-Z0-9]/.test(letter) ? letter.toLowerCase() : `_${letter.codePointAt(0)?.toString(16)}_`,
    )
    .join('')

/**
 * What the column of a header is called in a file, for any engine to read: `non_suspect`; `rule_ue` for what a service adds
 * to a table with rule sets, `extra_…` for what it adds to others. No two headers have one name.
 */
export function columnName(header: string, rules: boolean): string {
  if (standard.has(header)) return header.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')
  return `${rules ? 'rule' : 'extra'}_${escaped(header)}`
}

/** What the column of a total is called in the file of an overview, where `day` and `days` are the desk's own. */
export const totalColumnName = (name: string): string =>
  /^(?!days?$)[a-z]+$/.test(name) ? name : columnName(name, false)
