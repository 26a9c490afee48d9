import { dimensionEntry } from '../../../src-shared/service/dimensions.ts'
import { commonParameters, tableParameters } from '../../../src-shared/service/report-endpoints.ts'
import { comparisons, noComparison } from '../../../src-shared/views/comparison.ts'
import type { Comparison } from '../../../src-shared/views/comparison.ts'
import type { ReportAddress } from '../../../src-shared/views/view-address.ts'
import { days } from '../../parts/formats.ts'
import type { Difference } from './moves.ts'
import { withFilter } from './moves.ts'

/** Something that is on: its name, its value, and what takes it off. */
export type Chip = { readonly words: string; readonly value: string; readonly remove: Difference }

/** Everything that narrows a report or is compared with: nothing narrows figures unseen. */
export function chipsOf(address: ReportAddress, nameOf: (instance: string) => string | undefined): Chip[] {
  const { instance, source, campaign, dimension, filters, search, startsWith, compare } = address
  const chips: Chip[] = []
  const add = (words: string, value: string | null | undefined, remove: Difference) => {
    if (value) chips.push({ words, value, remove: { page: 1, ...remove } })
  }
  add(commonParameters.instance.words, instance && (nameOf(instance) ?? instance), { instance: null })
  add(commonParameters.source.words, source, { source: null })
  add(commonParameters.campaign.words, campaign, { campaign: null })
  for (const [name, { words }] of Object.entries(dimensionEntry(dimension).filters)) {
    add(words, filters[name], withFilter(address, name, ''))
  }
  add((startsWith ? tableParameters.startswith : tableParameters.search).words, search, {
    search: null,
    startsWith: false,
  })
  add('Compare with', comparedWith(compare), { compare: noComparison })
  return chips
}

function comparedWith(compare: Comparison): string | null {
  if (compare.kind === 'custom') return days(compare.range)
  return compare.preset === 'none' ? null : comparisons[compare.preset]
}
