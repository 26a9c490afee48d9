import { terms } from '#shared/reports/terms.ts'
import { dimensionEntry } from '#shared/api/dimensions.ts'
import { families } from '#shared/api/families.ts'
import type { Fact, Printed } from './printed.ts'

/** The words on some pages, and what they mean, in the order in which the terms explain them; then rule sets with a name. */
export function wordsOn({ sections, before }: Printed): readonly Fact[] {
  const columns = sections.flatMap(({ table }) => table?.columns ?? [])
  const rules = sections.flatMap(({ table }) => table?.rules ?? [])
  const compares = before !== null
  const used = new Set([
    ...sections.flatMap(({ family, figures, table }) => [
      families[family].words,
      ...figures.map(({ header }) => header),
      ...(table ? [dimensionEntry(table.query.dimension).header] : []),
    ]),
    ...columns.map(({ header }) => header),
    'Rate',
    ...(compares ? ['Points'] : []),
    ...(rules.length > 0 ? ['Rule set'] : []),
    ...(sections.some(({ provenance }) => provenance.restated) ? ['Restated'] : []),
  ])
  const codes = new Map(rules.flatMap(({ code, name }) => (name === null ? [] : [[name, code] as const])))
  return [
    ...terms
      .filter(({ word }) => used.has(word))
      .map(({ word, meaning }) => ({ name: word, value: meaning })),
    ...[...codes].map(([name, code]) => ({ name, value: `Rule set ${code}.` })),
  ]
}
