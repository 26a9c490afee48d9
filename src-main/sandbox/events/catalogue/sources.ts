import { UNDEFINED } from './labels.ts'

/** Every source; an event holds its index. Early ones are common. */
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

/** The source whose waves of bad traffic stand out of the charts. */
export const WAVE_SOURCE = sources.indexOf('cheap-clicks')

/** Every campaign; an event holds its index. */
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
