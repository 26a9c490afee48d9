import { hash32 } from '../random.ts'

/** A set of rules that traffic can break, and the type of invalid traffic it points to. An event holds a bit for each. */
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

/** The rule sets in force in a week: four of the eight, another four each week. */
export function ruleSetsInForce(week: number): number[] {
  const order = ruleSets.map((_, index) => index)
  return order.sort((a, b) => hash32(a, week) - hash32(b, week)).slice(0, 4)
}

/** The bits of one or two rule sets in force; `scatter` decides which. */
export function brokenRules(inForce: readonly number[], scatter: number): number {
  const one = inForce[scatter % inForce.length] as number
  const other = inForce[(scatter >>> 8) % inForce.length] as number
  return (1 << one) | ((scatter >>> 16) % 3 === 0 ? 1 << other : 0)
}
