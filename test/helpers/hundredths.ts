/** The same with its numbers to two decimals, as services write rates. */
export function hundredths<T>(value: T): T
export function hundredths(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 100) / 100
  if (Array.isArray(value)) return value.map(hundredths)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hundredths(member)]))
}
