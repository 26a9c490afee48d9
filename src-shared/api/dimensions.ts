import type { Parameter } from './parameters.ts'

/**
 * The two families and their counts (specification: summary totals, tables). `counts` are the headers after the
 * dimension's own, in order; `totals` are the members of `total`.
 */
export const families = {
  direct: {
    words: 'Direct',
    totals: ['nonsuspect', 'suspect', 'mobile'],
    counts: ['Requests', 'Non-Suspect', 'Suspect', 'Mobile'],
  },
  script: {
    words: 'Script',
    totals: ['drops', 'good', 'warning', 'bad', 'mobile', 'adblocker'],
    counts: ['Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad Blocker'],
  },
} as const satisfies Record<string, { words: string; totals: readonly string[]; counts: readonly string[] }>

export type Family = keyof typeof families

export const familyNames = Object.keys(families) as readonly Family[]

/** Texts for the members of `total`. */
export const totalWords = {
  nonsuspect: 'Non-suspect',
  suspect: 'Suspect',
  drops: 'Drops',
  good: 'Good',
  warning: 'Warning',
  bad: 'Bad',
  mobile: 'Mobile',
  adblocker: 'Ad blocker',
} as const

export type TotalName = keyof typeof totalWords

/** A filter of a dimension's endpoint, beside the common parameters. */
type DimensionFilter = Parameter & { readonly type: 'text'; readonly required: false }

/** A common filter with a look-up of its values. */
export type ComposedOf = 'source' | 'campaign'

type DimensionEntry = {
  /** Name of the table in a list: "Browsers". */
  readonly words: string
  /** Name of one row: "by browser". */
  readonly one: string
  /** The table's first header. */
  readonly header: string
  /** Type of a row's label: text, or an encoded object with id and name. */
  readonly label: 'text' | 'instance'
  readonly families: readonly Family[]
  readonly filters: Readonly<Record<string, DimensionFilter>>
  /**
   * Common filter whose values are the rows. The service has no such table, so the desk composes it from one overview
   * per value.
   */
  readonly composedOf?: ComposedOf
  /** Counts of the family that this dimension lacks (specification: script referrers). */
  readonly lacks?: { readonly counts: readonly string[]; readonly totals: readonly TotalName[] }
}

/** Defaults: a table of both families with text labels. */
const plain = { label: 'text', families: ['direct', 'script'], filters: {} } as const

const filter = (words: string) => ({ type: 'text', required: false, words }) as const

const dependent = <N extends readonly string[]>(words: string, needs: N) =>
  ({ type: 'text', required: false, words, needs }) as const

/**
 * Every table by its path suffix (specification: endpoint list), and the tables that the desk composes. A new dimension
 * is one entry here: the client, the sandbox, the report list and the filter bar follow.
 */
export const dimensions = {
  sessions: { ...plain, words: 'Instances', one: 'instance', header: 'Instance', label: 'instance' },
  sources: { ...plain, words: 'Sources', one: 'source', header: 'Source', composedOf: 'source' },
  campaigns: { ...plain, words: 'Campaigns', one: 'campaign', header: 'Campaign', composedOf: 'campaign' },
  browsers: {
    ...plain,
    ...{ words: 'Browsers', one: 'browser', header: 'Browser' },
    filters: { browser: filter('Browser'), browser_version: dependent('Browser version', ['browser']) },
  },
  'operating-systems': {
    ...plain,
    ...{ words: 'Operating systems', one: 'operating system', header: 'OS' },
    filters: { os: filter('OS'), os_version: dependent('OS version', ['os']) },
  },
  devices: {
    ...plain,
    ...{ words: 'Devices', one: 'device', header: 'Manufacturer' },
    filters: { manufacturer: filter('Manufacturer'), model: dependent('Model', ['manufacturer']) },
  },
  'device-types': {
    ...plain,
    ...{ words: 'Device types', one: 'device type', header: 'Type' },
    filters: { type: filter('Type') },
  },
  geography: {
    ...plain,
    ...{ words: 'Geography', one: 'country', header: 'Country' },
    filters: {
      country: filter('Country'),
      region: dependent('Region', ['country']),
      city: dependent('City', ['country', 'region']),
    },
  },
  networks: {
    ...plain,
    ...{ words: 'Networks', one: 'network', header: 'Network' },
    filters: { network: filter('Network') },
  },
  connections: {
    ...plain,
    ...{ words: 'Connections', one: 'connection', header: 'Connection', families: ['script'] },
    filters: { connection: filter('Connection') },
  },
  referrers: {
    ...plain,
    ...{ words: 'Referrers', one: 'referrer', header: 'Host', families: ['script'] },
    filters: { host: filter('Host'), path: dependent('Path', ['host']) },
    lacks: { counts: ['Requests'], totals: ['drops'] },
  },
} as const satisfies Record<string, DimensionEntry>

export type Dimension = keyof typeof dimensions

/** Dimensions with a table of the service. */
export type ServiceDimension = {
  [D in Dimension]: (typeof dimensions)[D] extends { readonly composedOf: ComposedOf } ? never : D
}[Dimension]

/** Dimensions with a table of the service in one family. */
export type DimensionOf<F extends Family> = {
  [D in ServiceDimension]: F extends (typeof dimensions)[D]['families'][number] ? D : never
}[ServiceDimension]

export const dimensionNames = Object.keys(dimensions) as readonly Dimension[]

/** Returns a dimension's entry as the general type. */
export function dimensionEntry(dimension: Dimension): DimensionEntry {
  return dimensions[dimension]
}

/** Whether a family offers a dimension. */
export function offers(family: Family, dimension: Dimension): boolean {
  return dimensionEntry(dimension).families.includes(family)
}

/** Returns the filter whose values compose a dimension; null if the service has a table. */
export function composedOf(dimension: Dimension): ComposedOf | null {
  return dimensionEntry(dimension).composedOf ?? null
}

/** Dimensions with a table of the service, in order. */
export const serviceDimensions: readonly ServiceDimension[] = dimensionNames.filter(
  (dimensionName): dimensionName is ServiceDimension => composedOf(dimensionName) === null,
)

/** Returns a table's headers in the specification's order, without rates and rule sets. */
export function headersOf(family: Family, dimension: Dimension): string[] {
  const entry = dimensionEntry(dimension)
  const counts: readonly string[] = families[family].counts
  return [entry.header, ...counts.filter((header) => !entry.lacks?.counts.includes(header))]
}

/** Returns the members of `total` for a table or, without a dimension, for the overview. */
export function totalsOf(family: Family, dimension?: Dimension): TotalName[] {
  const missing = dimension && dimensionEntry(dimension).lacks?.totals
  const totals: readonly TotalName[] = families[family].totals
  return totals.filter((name) => !missing?.includes(name))
}

/** Returns the report's name: "Script by browser", or "Direct overview". */
export function reportName(family: Family, dimension?: Dimension): string {
  const { words } = families[family]
  return dimension ? `${words} by ${dimensionEntry(dimension).one}` : `${words} overview`
}
