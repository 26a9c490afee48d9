import type { Cluster, ClusterKind } from './answers.ts'

/** What a value of a cluster is. */
export const clusterKindWords: Readonly<Record<ClusterKind, string>> = {
  address: 'Address',
  range: 'Address range',
  network: 'Network',
  'user-agent': 'User agent',
  referrer: 'Referrer',
  hour: 'Hour',
}

/** A count that was expected: small ones need a decimal. */
const expectedWords = (expected: number, tag: string | undefined): string =>
  new Intl.NumberFormat(tag, { maximumFractionDigits: expected < 10 ? 1 : 0 }).format(expected)

/** What was counted, and no more: `142 of 150 rows bad; 24 expected`. Numbers as a language writes them. */
export function clusterWords(
  { rows, bad, expected }: Pick<Cluster, 'rows' | 'bad' | 'expected'>,
  tag: string | undefined,
): string {
  const { format } = new Intl.NumberFormat(tag)
  return `${format(bad)} of ${format(rows)} rows bad; ${expectedWords(expected, tag)} expected`
}

/** How many times as many bad rows as expected there are: `5.9×`. */
export const timesWords = (
  { bad, expected }: Pick<Cluster, 'bad' | 'expected'>,
  tag: string | undefined,
): string => `${new Intl.NumberFormat(tag, { maximumFractionDigits: 1 }).format(bad / expected)}×`

/** How probable a count is by chance, in words: `1 in 2,300`, `less than 1 in a million`. */
export function chanceWords(chance: number, tag: string | undefined): string {
  if (chance < 1e-6) return 'less than 1 in a million'
  const rounded = Number((1 / chance).toPrecision(2))
  return `1 in ${new Intl.NumberFormat(tag, { maximumFractionDigits: 0 }).format(rounded)}`
}
