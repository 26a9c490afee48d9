import { hash32 } from '../random.ts'
import { UNDEFINED } from './labels.ts'

/** How many distinct hosts the wide instance's referrers hold over all days. */
export const WIDE_HOSTS = 50_000

/** Referring hosts that every instance knows; the first stands for no referrer at all. */
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

const first = [
  'amber',
  'birch',
  'cedar',
  'delta',
  'ember',
  'fjord',
  'grove',
  'harbor',
  'island',
  'juniper',
  'kite',
]
const second = [
  'blog',
  'daily',
  'deals',
  'forum',
  'guide',
  'house',
  'media',
  'online',
  'review',
  'store',
  'times',
  'wiki',
]
const endings = ['example', 'test', 'invalid', 'net.example', 'co.example']

function wideHost(index: number): string {
  const scatter = hash32(index, 77)
  const pick = (words: readonly string[], shift: number) =>
    words[(scatter >>> shift) % words.length] as string
  return `${pick(first, 0)}-${pick(second, 8)}-${index.toString(36)}.${pick(endings, 16)}`
}

/** How many hosts are common ones. */
export const COMMON_HOSTS = common.length

/** Every host; an event holds its index. The wide instance meets each of them, and nothing else. */
export const hosts: readonly string[] = [
  ...common,
  ...Array.from({ length: WIDE_HOSTS - common.length }, (_, index) => wideHost(index)),
]

/** Every path at a referring host; an event holds its index. The first goes with no referrer. */
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
