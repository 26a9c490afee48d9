/** Form of addresses that a platform accepts. */
export type RangeForm =
  /** An address, or three numbers and a star: `198.51.100.*`. */
  | 'last-star'
  /** An address or a range: `198.51.100.0/23`. */
  | 'range'
  /** A range, also for one address: `198.51.100.7/32`. */
  | 'prefix'

type Platform = {
  readonly name: string
  /** Form by family; null if the family is not accepted. */
  readonly forms: { readonly 4: RangeForm | null; readonly 6: RangeForm | null }
  /** Maximum number of lines per campaign; null if unlimited. */
  readonly maxLines: number | null
  /** What to do instead if no family is accepted, else null. */
  readonly advice: string | null
  /** Documentation, and the day of the first page's last change; null if unknown. */
  readonly source: { readonly pages: readonly string[]; readonly day: string | null } | null
}

/**
 * Platforms for block lists. If pages disagree, the stricter one applies: `198.51.*.*` is not documented anywhere.
 */
export const platforms = {
  lines: {
    name: 'One per line',
    forms: { 4: 'range', 6: 'range' },
    maxLines: null,
    advice: null,
    source: null,
  },
  csv: {
    name: 'CSV with counts',
    forms: { 4: 'range', 6: 'range' },
    maxLines: null,
    advice: null,
    source: null,
  },
  'google-ads': {
    name: 'Google Ads',
    forms: { 4: 'last-star', 6: 'range' },
    maxLines: 500,
    advice: null,
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
    advice: null,
    source: {
      pages: ['https://about.ads.microsoft.com/en-us/resources/training/campaign-exclusions'],
      day: null,
    },
  },
  meta: {
    name: 'Meta Ads',
    forms: { 4: null, 6: null },
    maxLines: null,
    advice:
      'Meta blocks no addresses, only publishers. Block addresses on your own server: choose a firewall or plain lines.',
    source: {
      pages: [
        'https://developers.facebook.com/documentation/ads-commerce/marketing-api/reference/ad-account/publisher_block_lists',
        'https://developers.facebook.com/documentation/ads-commerce/marketing-api/brand-safety-and-suitability/block-list',
      ],
      day: '2024-10-01',
    },
  },
  firewall: {
    ...{ name: 'Firewall (CIDR)', forms: { 4: 'prefix', 6: 'prefix' }, maxLines: null },
    ...{ advice: null, source: null },
  },
} as const satisfies Readonly<Record<string, Platform>>

export type BlockListFormat = keyof typeof platforms

/** Formats of block lists. */
export const blockListFormats = [
  'lines',
  'csv',
  'google-ads',
  'microsoft-ads',
  'meta',
  'firewall',
] as const satisfies readonly BlockListFormat[]

/** Returns the platform of a format. */
export const platformOf = (format: BlockListFormat): Platform => platforms[format]
