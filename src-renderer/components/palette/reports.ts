import { dimensionEntry, dimensionNames, offers, reportName } from '#shared/api/dimensions.ts'
import { familyNames } from '#shared/api/families.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import type { App } from '#renderer/stores/app.ts'
import type { Entry } from './entry.ts'

type Needed = Pick<App, 'navigation'>

/** What belongs to one table of one dimension, and is left behind with it. */
export const anew = { filters: {}, search: null, startsWith: false, sort: [], page: 1 } as const

/** Every report that the service offers, over the days and the common filters of now. */
export function reportEntries({ navigation }: Needed): Entry[] {
  return familyNames.flatMap((family) => {
    const dimensions = dimensionNames.filter((dimension) => offers(family, dimension))
    const overview: Entry = {
      id: `report:${family}/overview`,
      group: 'Reports',
      words: reportName(family),
      also: ['totals', 'trend'],
      note: null,
      run: () => navigation.go(navigation.overview),
    }
    const tables = dimensions.map((dimension): Entry => ({
      id: `report:${family}/${dimension}`,
      group: 'Reports',
      words: reportName(family, dimension),
      also: [dimensionEntry(dimension).words, dimensionEntry(dimension).header],
      note: null,
      run: () => navigation.go({ ...navigation.report, family, dimension, ...anew }),
    }))
    return [overview, ...tables]
  })
}

/** The other dimensions of the report that is open: everything else about it stays. */
export function dimensionEntries({ navigation }: Needed): Entry[] {
  const { address } = navigation
  if (address.kind !== 'reports') return []
  const { family } = address
  return dimensionNames
    .filter((dimension) => offers(family, dimension) && dimension !== address.dimension)
    .map((dimension) => ({
      id: `by:${dimension}`,
      group: 'This report by',
      words: `By ${dimensionEntry(dimension).one}`,
      also: [dimensionEntry(dimension).words],
      note: null,
      run: () => navigation.go({ ...address, dimension, ...anew }),
    }))
}

/** What can be switched on and off in the report that is open. */
export function toggleEntries({ navigation }: Needed, chart: ReportAddress['chart']): Entry[] {
  const { address } = navigation
  if (address.kind !== 'reports') return []
  const toggle = (id: string, what: string, on: boolean, change: Partial<ReportAddress>): Entry => ({
    id: `toggle:${id}`,
    group: 'Do',
    words: `${on ? 'Hide' : 'Show'} ${what}`,
    also: [id, 'toggle'],
    note: null,
    run: () => navigation.go({ ...address, ...change }),
  })
  return [
    toggle('chart', 'the chart', address.chart !== null, { chart: address.chart ? null : chart }),
    toggle('rates', 'rates', address.rates, { rates: !address.rates }),
    toggle('rules', 'rule sets', address.rules, { rules: !address.rules }),
  ]
}
