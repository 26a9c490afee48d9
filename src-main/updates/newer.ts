/** Three numbers, as versions of the app are written. */
export const versionPattern = /^(?:0|[1-9]\d{0,5})(?:\.(?:0|[1-9]\d{0,5})){2}$/

/**
 * Whether one version is newer than the one that runs. One with a mark behind it, such as `-not-for-people`, comes before the one
 * without.
 */
export function isNewer(version: string, running: string): boolean {
  const [plain = '', ...mark] = running.split('-')
  const [theirs, ours] = [numbersOf(version), numbersOf(plain)]
  const index = theirs.findIndex((number, place) => number !== ours[place])
  return index === -1 ? mark.length > 0 : (theirs[index] ?? 0) > (ours[index] ?? 0)
}

const numbersOf = (version: string): readonly number[] => version.split('.').map(Number)
