/** UTC first: it is what services usually mean. */
const UTC = 'UTC'
const MAX = 60

let known: readonly string[] | undefined

/** Every time zone that this machine knows. */
export function allZones(): readonly string[] {
  known ??= [UTC, ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== UTC)]
  return known
}

/** The zones that have each typed word somewhere in their name. */
export function findZones(typed: string): readonly string[] {
  const words = typed.toLowerCase().replaceAll('_', ' ').split(/\s+/)
  const fits = (zone: string) => {
    const name = zone.toLowerCase().replaceAll('_', ' ')
    return words.every((word) => name.includes(word))
  }
  return allZones().filter(fits).slice(0, MAX)
}
