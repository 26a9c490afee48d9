import type { CaseArchive, CaseFindings, CasePart, CaseSide } from './case.ts'

/** A figure that is another one since the case was made before; null where it was not there. */
export type CaseChange = {
  readonly what: string
  readonly before: number | null
  readonly after: number | null
}

/** Whether two makings counted rows of the same archives: those of others are no change of what was there. */
export const haveSameArchives = (before: CaseFindings, made: CaseFindings): boolean => {
  const files = ({ archives }: CaseFindings) =>
    archives
      .map(({ file }) => file)
      .sort()
      .join('\n')
  return files(before) === files(made)
}

/** What is different between two makings of a case; nothing where all figures stayed. Rows are compared where both are of the same archives. */
export function changesOf(before: CaseFindings, made: CaseFindings): readonly CaseChange[] {
  const rows = haveSameArchives(before, made)
    ? [
        ...pairs('Rows', [{ value: '', ...before.rows }], [{ value: '', ...made.rows }]),
        ...pairs('Rows with result', before.results, made.results),
        ...pairs('Rows by rule set', before.ruleSets, made.ruleSets),
        ...ofArchives(before.archives, made.archives),
      ]
    : []
  return [
    ...ofSides('', before.now, made.now),
    ...ofSides(' before', before.before, made.before),
    ...ofSides(' of the others', before.others, made.others),
    ...rows,
  ].filter((change) => change.before !== change.after)
}

function ofSides(behind: string, before: CaseSide | null, after: CaseSide | null): CaseChange[] {
  const headers = new Set([...(before?.figures ?? []), ...(after?.figures ?? [])].map(({ header }) => header))
  const valueIn = (side: CaseSide | null, header: string) =>
    side?.figures.find((figure) => figure.header === header)?.value ?? null
  return [...headers].map((header) => ({
    what: `${header}${behind}`,
    before: valueIn(before, header),
    after: valueIn(after, header),
  }))
}

function pairs(what: string, before: readonly CasePart[], after: readonly CasePart[]): CaseChange[] {
  const values = new Set([...before, ...after].map(({ value }) => value))
  const rowsOf = (parts: readonly CasePart[], value: string) =>
    parts.find((part) => part.value === value)?.rows ?? null
  return [...values].map((value) => ({
    what: `${what} ${value}`.trim(),
    before: rowsOf(before, value),
    after: rowsOf(after, value),
  }))
}

const ofArchives = (before: readonly CaseArchive[], after: readonly CaseArchive[]): CaseChange[] =>
  pairs('Rows of', before.map(asPart), after.map(asPart))

const asPart = ({ name, ofCase }: CaseArchive): CasePart => ({ value: name, rows: ofCase, bad: null })
