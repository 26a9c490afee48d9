import { NON_IDENTIFIABLE, UNDEFINED } from './labels.ts'

/** Networks from which people come. */
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

/** Networks from which machines come: the waves of bad traffic ride on these. */
const hosting = ['Rackspruce Hosting', 'Cumulus Compute', 'Exit & Proxy Ltd', 'VPS<1> Cloud']

/** Every network; an event holds its index. */
export const networks: readonly string[] = [...access, ...hosting]

/** How often each is met, in everyday traffic and in a wave. */
export const networkWeights = {
  usual: [...access.map((_, place) => 0.85 ** place), ...hosting.map(() => 0.05)],
  wave: [...access.map(() => 0.01), ...hosting.map((_, place) => 0.6 ** place)],
} as const

/** Every kind of connection; an event holds its index. */
export const connections: readonly string[] = [
  'Cable/DSL',
  'Cellular',
  'Corporate',
  'Satellite',
  'Dial-up',
  NON_IDENTIFIABLE,
]
