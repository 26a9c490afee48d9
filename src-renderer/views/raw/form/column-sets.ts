import type { RawColumnSet, RawLastColumns, RawTemplate } from '#shared/raw/requests.ts'
import { columnWords } from '#shared/raw/draft.ts'
import type { RawType } from '#shared/api/raw-columns.ts'

/** A remembered set of columns, and what it is called. */
export type NamedSet = Pick<RawColumnSet, 'standard' | 'additional'> & { readonly words: string }

const named = 2

/** What is in a set: its first columns, and how many more there are. */
function contentWords({ standard, additional }: Pick<RawColumnSet, 'standard' | 'additional'>): string {
  const all = [...standard, ...additional.map(String)].map(columnWords)
  const more = all.length - named
  return more > 0 ? `${all.slice(0, named).join(', ')} and ${more} more` : all.join(', ')
}

/** The sets that a type can be asked for with again: those of the last requests, then those of templates. */
export function columnSets(
  type: RawType,
  last: RawLastColumns,
  templates: readonly RawTemplate[],
): readonly NamedSet[] {
  const lately = (last[type] ?? []).map(({ name, ...set }, place) => {
    const of = name === '' ? 'Before' : `“${name}”`
    return { ...set, words: `${place === 0 ? 'As last time' : of}: ${contentWords(set)}` }
  })
  const stored = templates
    .filter(({ draft }) => draft.type === type)
    .map(({ name, draft: { standard, additional } }) => {
      const set = { standard, additional }
      return { ...set, words: `Template “${name}”: ${contentWords(set)}` }
    })
  return [...lately, ...stored]
}

/** Whether exactly these columns are chosen. */
export function isChosen(set: NamedSet, chosen: Pick<RawColumnSet, 'standard' | 'additional'>): boolean {
  const same = <T>(some: readonly T[], others: readonly T[]) =>
    some.length === others.length && some.every((item) => others.includes(item))
  return same(set.standard, chosen.standard) && same(set.additional, chosen.additional)
}
