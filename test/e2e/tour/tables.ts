import { dimensionEntry, offers, serviceDimensions } from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import type { EventRecord } from '#test/src-main/sandbox/events/event-records.ts'
import type { By } from '../oracle/figures.ts'

/** One of the service's tables, as a person comes to it and as the oracle names it. */
export type TourTable = {
  readonly family: Family
  readonly dimension: Dimension
  /** What is chosen in "Family" and in "Dimension". */
  readonly familyWords: string
  readonly dimensionWords: string
  /** What the grid is called. */
  readonly name: string
  /** The first header. */
  readonly header: string
  readonly by: By
  readonly counts: readonly string[]
  /** Its own filters, each after those that it needs: the parameter and its name in words. */
  readonly filters: readonly { readonly parameter: keyof EventRecord; readonly words: string }[]
}

const familyWords = { direct: 'Direct', script: 'Script' } as const

/** Which column of an event names the rows, and what stands above them (specification: headers by family). */
const columns: Readonly<
  Record<Dimension, { readonly by: By; readonly header: string; readonly one: string }>
> = {
  sessions: { by: 'instance', header: 'Instance', one: 'instance' },
  sources: { by: 'source', header: 'Source', one: 'source' },
  campaigns: { by: 'campaign', header: 'Campaign', one: 'campaign' },
  browsers: { by: 'browser', header: 'Browser', one: 'browser' },
  'operating-systems': { by: 'os', header: 'OS', one: 'operating system' },
  devices: { by: 'manufacturer', header: 'Manufacturer', one: 'device' },
  'device-types': { by: 'type', header: 'Type', one: 'device type' },
  geography: { by: 'country', header: 'Country', one: 'country' },
  networks: { by: 'network', header: 'Network', one: 'network' },
  connections: { by: 'connection', header: 'Connection', one: 'connection' },
  referrers: { by: 'host', header: 'Host', one: 'referrer' },
}

const counts = {
  direct: ['Requests', 'Non-Suspect', 'Suspect', 'Mobile'],
  script: ['Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad Blocker'],
} as const

/** The tables of one family, all that the service has. */
export const tablesOf = (family: Family): TourTable[] =>
  serviceDimensions
    .filter((dimension) => offers(family, dimension))
    .map((dimension) => tableOf(family, dimension))

export function tableOf(family: Family, dimension: Dimension): TourTable {
  const { words, filters } = dimensionEntry(dimension)
  const { by, header, one } = columns[dimension]
  return {
    family,
    dimension,
    familyWords: familyWords[family],
    dimensionWords: words,
    name: `${familyWords[family]} by ${one}`,
    header,
    by,
    counts: dimension === 'referrers' ? counts[family].slice(1) : counts[family],
    // An event's columns are called as the parameters are.
    filters: Object.entries(filters).map(([parameter, { words }]) => ({
      parameter: parameter as keyof EventRecord,
      words,
    })),
  }
}
