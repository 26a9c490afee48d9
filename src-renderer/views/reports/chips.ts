import { dimensionEntry } from '#shared/api/dimensions.ts'
import { commonParameters, tableParameters } from '#shared/api/endpoints.ts'
import { keyText } from '#shared/reports/rows.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import type { Difference } from './filter-changes.ts'
import { withFilter } from './filter-changes.ts'

/** Something that is on: its name, its value, and what takes it off. */
export type Chip = { readonly words: string; readonly value: string; readonly remove: Difference }

/** How a limit of figures is said. */
export const limitWords = { 'at-least': 'at least', 'at-most': 'at most' } as const

/** Everything that narrows a report: nothing narrows figures unseen. What it is compared with is seen in its own field. */
export function chipsOf(address: ReportAddress, nameOf: (instance: string) => string | undefined): Chip[] {
  const { instance, source, campaign, dimension, filters, search, startsWith } = address
  const where = address.where ?? []
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
  for (const limit of where) {
    const others = where.filter((figureLimit) => figureLimit !== limit)
    add(`${limit.header} ${limitWords[limit.is]}`, String(limit.value), { where: others })
  }
  for (const key of address.without ?? []) {
    const others = address.without?.filter((value) => value !== key) ?? []
    const name = keyText(key)
    add('Without', (key.startsWith('instance ') && nameOf(name)) || name || '(blank)', { without: others })
  }
  add((startsWith ? tableParameters.startswith : tableParameters.search).words, search, {
    search: null,
    startsWith: false,
  })
  return chips
}
