/** How a platform takes the addresses of a family. */
export type RangeForm =
  /** An address, or its first three numbers and a star: `198.51.100.*`. */
  | 'last-star'
  /** An address, or a range: `198.51.100.0/23`. */
  | 'range'
  /** A range, of one address too: `198.51.100.7/32`. */
  | 'prefix'

type Platform = {
  readonly name: string
  /** By family; null is refused. */
  readonly forms: { readonly 4: RangeForm | null; readonly 6: RangeForm | null }
  /** How many lines a campaign takes; null where nothing limits them. */
  readonly maxLines: number | null
  /** The pages that say so, and the day on which the first was changed last; null where that is not known. */
  readonly source: { readonly pages: readonly string[]; readonly day: string | null } | null
}

/**
 * What takes block lists, and how. The narrower reading counts where pages differ: `198.51.*.*` is documented nowhere. Meta is not
 * among them, because its lists name publishers and no addresses.
 */
export const platforms = {
  lines: { name: 'One per line', forms: { 4: 'range', 6: 'range' }, maxLines: null, source: null },
  csv: { name: 'CSV with counts', forms: { 4: 'range', 6: 'range' }, maxLines: null, source: null },
  'google-ads': {
    name: 'Google Ads',
    forms: { 4: 'last-star', 6: 'range' },
    maxLines: 500,
    source: {
      pages: [
        'https://developers.google.com/google-ads/api/reference/rpc/v26/IpBlockInfo',
        'https://support.google.com/google-ads/answer/2456098',
      ],
      day: '2026-10-13',
    },
  },
  'microsoft-ads': {
    name: 'Microsoft Ads',
    forms: { 4: 'last-star', 6: null },
    maxLines: 100,
    source: {
      pages: ['https://about.ads.microsoft.com/en-us/resources/training/campaign-exclusions'],
      day: null,
    },
  },
  firewall: { name: 'Firewall (CIDR)', forms: { 4: 'prefix', 6: 'prefix' }, maxLines: null, source: null },
} as const satisfies Readonly<Record<string, Platform>>

export type BlockListFormat = keyof typeof platforms

/** How a block list is written. */
export const blockListFormats = [
  'lines',
  'csv',
  'google-ads',
  'microsoft-ads',
  'firewall',
] as const satisfies readonly BlockListFormat[]

/** What a format asks of a list. */
export const platformOf = (format: BlockListFormat): Platform => platforms[format]
