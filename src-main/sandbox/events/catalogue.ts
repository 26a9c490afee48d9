import type { InstanceId } from '#shared/values/ids.ts'
import { hash32 } from './random.ts'

/** Label of events without a value. An ordinary row in tables; empty in raw rows. */
export const UNDEFINED = '(undefined)'

/** Label of values that the service could not determine. An ordinary row. */
export const NON_IDENTIFIABLE = '(non-identifiable)'

/** Labels that are sent unencoded, although they are invalid encodings (field notes: values, broken escapes). */
export const sentUnencoded: ReadonlySet<string> = new Set(['Dolphin%zz/12', 'UC%Browser', 'Silk-100%'])

/** Id and name of the aggregate instance; names of the other look-ups' aggregates. */
export const ALL_INSTANCES = 'All Instances'
export const ALL_SOURCES = 'All Sources'
export const ALL_CAMPAIGNS = 'All Campaigns'

/** An instance and the shape of its traffic. */
export type SandboxInstance = {
  readonly id: InstanceId
  readonly name: string
  readonly status: number
  /** Usual number of events on a weekday. */
  readonly script: number
  readonly direct: number
  /** Traffic of a Saturday or Sunday relative to a weekday. */
  readonly weekend: number
  /** Factor for bad traffic; 1 is usual. */
  readonly badness: number
  /** False: ad-blocker detection is off, and its counts are null. */
  readonly detectsAdblockers: boolean
  /** Whether its referrers have all `WIDE_HOSTS` hosts. */
  readonly wide: boolean
}

const id = (text: string) => text as InstanceId

type Traffic = Pick<SandboxInstance, 'script' | 'direct' | 'weekend' | 'badness'>

const instance = (
  text: string,
  name: string,
  traffic: Traffic,
  unusual: Partial<SandboxInstance> = {},
): SandboxInstance => ({
  ...{ id: id(text), name, status: 1, detectsAdblockers: true, wide: false },
  ...traffic,
  ...unusual,
})

/** Returns an instance's name. With `oneName`, the second instance has the first one's. */
export function nameOfInstance({ id, name }: Pick<SandboxInstance, 'id' | 'name'>, oneName: boolean): string {
  const [first, second] = sandboxInstances
  return oneName && first && id === second?.id ? first.name : name
}

/** Awkward names, which encoding, HTML, CSV and file names must preserve. */
export const sandboxInstances: readonly SandboxInstance[] = [
  instance('4101', 'Northwind News', { script: 260, direct: 110, weekend: 0.7, badness: 1 }),
  instance('4117', 'Größe+Plus 100%', { script: 180, direct: 80, weekend: 1.4, badness: 0.6 }),
  instance('4123', 'Café "Am Eck" / Bar', { script: 120, direct: 60, weekend: 1.7, badness: 0.8 }),
  instance('4140', '中文站点 Ｓhop', { script: 210, direct: 90, weekend: 1.1, badness: 1.6 }),
  instance('4166', '<b>Bold & Co</b>', { script: 90, direct: 40, weekend: 0.5, badness: 2.4 }, { status: 2 }),
  instance(
    '4189',
    "L'été 50%25 + more",
    { script: 140, direct: 60, weekend: 0.9, badness: 1.2 },
    { detectsAdblockers: false },
  ),
  instance(
    '4205',
    'Wide World Portal',
    { script: 960, direct: 120, weekend: 1, badness: 1.1 },
    { wide: true },
  ),
]

/** Instances of the limited token: an ordinary one, and the one without ad-blocker detection. */
export const limitedInstances: readonly InstanceId[] = [id('4101'), id('4189')]

/** All sources, common ones first. Events store the index. */
export const sources: readonly string[] = [
  'search',
  UNDEFINED,
  'newsletter',
  'cheap-clicks',
  'Partner+Affiliates',
  'Social / Paid',
  'émission',
  '百度推广',
  '50% off',
  'A&B "Media"',
  'Search',
  'qr-code',
]

/** Source of the waves of bad traffic, visible in charts. */
export const WAVE_SOURCE = sources.indexOf('cheap-clicks')

/** All campaigns. Events store the index. */
export const campaigns: readonly string[] = [
  UNDEFINED,
  'spring',
  'Spring',
  'black-friday-2026',
  'brand',
  'retargeting/eu',
  'retargeting/us',
  'Soldes d’été',
  '双十一',
  '100% cashback',
  '1+1 free',
  '"quoted"',
  '<script>alert(1)</script>',
  '=SUM(A1)',
  'a_b',
  'a%b',
]

/** Networks of people. */
const access = [
  'Nordlicht Telekom AG',
  'Harbour Cable',
  'Prairie Fiber LLC',
  'Télécom Rivière',
  '东海宽带',
  'Campo Verde Móvel',
  'Lowland Broadband B.V.',
  'Cell+ Wireless',
  '"Quoted" Networks, Inc.',
  '😀 Smile Net',
  'Ａsia Ｎet',
  'Isle Mobile / Data',
  'Metro WiFi 100%',
  'University of the Coast',
  NON_IDENTIFIABLE,
  UNDEFINED,
]

/** Networks of machines, which most of the traffic in a wave comes from. */
const hosting = ['Rackspruce Hosting', 'Cumulus Compute', 'Exit & Proxy Ltd', 'VPS<1> Cloud']

/** All networks. Events store the index. */
export const networks: readonly string[] = [...access, ...hosting]

/** Weights of the networks in usual traffic and in waves. */
export const networkWeights = {
  usual: [...access.map((_, place) => 0.85 ** place), ...hosting.map(() => 0.05)],
  wave: [...access.map(() => 0.01), ...hosting.map((_, place) => 0.6 ** place)],
} as const

/** All connection types. Events store the index. */
export const connections: readonly string[] = [
  'Cable/DSL',
  'Cellular',
  'Corporate',
  'Satellite',
  'Dial-up',
  NON_IDENTIFIABLE,
]

/** Location of a visitor. Region and city names repeat across countries, so that a city needs its country. */
export type VisitorLocation = {
  readonly country: string
  readonly region: string
  readonly city: string
  readonly languages: readonly string[]
  readonly weight: number
}

const world: readonly [
  country: string,
  languages: readonly string[],
  regions: Record<string, readonly string[]>,
][] = [
  [
    'United States',
    ['en-US', 'es-US'],
    {
      California: ['Los Angeles', 'San Francisco', 'San José'],
      Massachusetts: ['Boston', 'Cambridge'],
      Ohio: ['Columbus', 'Dublin'],
      [UNDEFINED]: [UNDEFINED],
    },
  ],
  [
    'Germany',
    ['de-DE', 'en-GB'],
    {
      Bavaria: ['München', 'Nürnberg'],
      Hesse: ['Frankfurt', 'Kassel'],
      Brandenburg: ['Frankfurt', 'Potsdam'],
    },
  ],
  ['United Kingdom', ['en-GB'], { England: ['London', 'Cambridge', 'Birmingham'], Scotland: ['Edinburgh'] }],
  ['France', ['fr-FR'], { 'Île-de-France': ['Paris', "L'Haÿ-les-Roses"], Occitanie: ['Toulouse'] }],
  ['China', ['zh-CN'], { 北京: ['北京'], Guangdong: ['广州', 'Shenzhen'] }],
  ['Netherlands', ['nl-NL', 'en-GB'], { Limburg: ['Maastricht'], 'North Holland': ['Amsterdam'] }],
  ['Belgium', ['nl-BE', 'fr-BE'], { Limburg: ['Hasselt'], Brussels: ['Brussels'] }],
  ['Brazil', ['pt-BR'], { 'São Paulo': ['São Paulo', 'Campinas'], Bahia: ['Salvador'] }],
  ["Côte d'Ivoire", ['fr-FR'], { Abidjan: ['Abidjan'] }],
  ['Ireland', ['en-IE'], { Leinster: ['Dublin'] }],
  [NON_IDENTIFIABLE, ['en-US', ''], { [NON_IDENTIFIABLE]: [NON_IDENTIFIABLE] }],
]

/** All places. Events store the index. */
export const places: readonly VisitorLocation[] = world.flatMap(([country, languages, regions], rank) =>
  Object.entries(regions).flatMap(([region, cities], order) =>
    cities.map((city, place) => ({
      country,
      region,
      city,
      languages,
      weight: 0.75 ** rank * 0.7 ** order * 0.6 ** place,
    })),
  ),
)

/** Rule sets, and the type of invalid traffic of each. Events store one bit per rule set. */
export const ruleSets = [
  { code: 'UE', type: 'User agent' },
  { code: 'SP', type: 'Spoofing' },
  { code: 'DC', type: 'Data centre' },
  { code: 'PX', type: 'Proxy' },
  { code: 'BT', type: 'Bot' },
  { code: 'FR', type: 'Frequency' },
  { code: 'GE', type: 'Geography' },
  { code: 'HD', type: 'Hidden' },
] as const

/** Returns the rule sets of a week: four of the eight, varying by week. */
export function ruleSetsInForce(week: number): number[] {
  const order = ruleSets.map((_, index) => index)
  return order.sort((a, b) => hash32(a, week) - hash32(b, week)).slice(0, 4)
}

/** Returns the bits of one or two rule sets, chosen by `scatter`. */
export function brokenRules(inForce: readonly number[], scatter: number): number {
  const one = inForce[scatter % inForce.length] as number
  const other = inForce[(scatter >>> 8) % inForce.length] as number
  return (1 << one) | ((scatter >>> 16) % 3 === 0 ? 1 << other : 0)
}

/** Number of distinct referring hosts of the wide instance over all days. */
export const WIDE_HOSTS = 50_000

/** Referring hosts of all instances. The first means no referrer. */
const common: readonly string[] = [
  UNDEFINED,
  'www.search.example',
  'news.example',
  'm.social.example',
  'mail.example',
  'SHOP.example',
  'shop.example',
  'café.example',
  '百科.example',
  'forum.example:8443',
  'a+b.example',
  '100%.example',
  't.example',
  'links.partner.example',
  'video.example',
  'blog.example',
]

const first = 'amber birch cedar delta ember fjord grove harbor island juniper kite'.split(' ')
const second = 'blog daily deals forum guide house media online review store times wiki'.split(' ')
const endings = ['example', 'test', 'invalid', 'net.example', 'co.example']

function wideHost(index: number): string {
  const scatter = hash32(index, 77)
  const pick = (words: readonly string[], shift: number) =>
    words[(scatter >>> shift) % words.length] as string
  return `${pick(first, 0)}-${pick(second, 8)}-${index.toString(36)}.${pick(endings, 16)}`
}

/** Number of common hosts. */
export const COMMON_HOSTS = common.length

/** All hosts. Events store the index. The wide instance has each of them. */
export const hosts: readonly string[] = [
  ...common,
  ...Array.from({ length: WIDE_HOSTS - common.length }, (_, index) => wideHost(index)),
]

/** All paths of referrers. Events store the index. The first belongs to no referrer. */
export const paths: readonly string[] = [
  UNDEFINED,
  '/',
  '/index.html',
  '/news/2026/11',
  '/search',
  '/a b/c+d',
  '/é/中',
  '/100%',
  '/t/<b>',
  '/deep/er/and/deeper',
  '/feed.xml',
]
