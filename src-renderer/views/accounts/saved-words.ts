import type { ComparedDays } from '#shared/reports/compared-periods.ts'
import { moment } from '#renderer/components/formats.ts'
import type { AccountFigures } from '#renderer/stores/all-accounts.svelte.ts'

const daysWords = (days: number) => `${days} ${days === 1 ? 'day' : 'days'}`

/** How much of an account's days is saved, since when, and of how many the change is: at most three lines. */
export function savedWords(figures: AccountFigures | undefined, now: number): readonly string[] {
  if (!figures) return []
  if (!figures.ok) return [figures.failure.message]
  const families = [
    { words: 'Script', ...figures.value.script },
    { words: 'Direct', ...figures.value.direct },
  ]
  const stored = families.filter((each) => each.now.compared.days > 0)
  const of = Math.max(...families.map((each) => each.now.compared.of))
  const ages = stored.map((each) => each.now.fetchedAt).filter((at) => at !== null)
  if (ages.length === 0) return [`Nothing of ${of === 1 ? 'this day' : `these ${of} days`} is saved`]
  const missing = families
    .filter((each) => each.now.compared.days < of)
    .map(({ words, now: { compared } }) => `${words}: ${compared.days} of ${daysWords(of)}`)
  return [
    ...missing,
    `Updated ${moment(Math.min(...ages), now)}`,
    ...changeWords(stored.flatMap(({ compared }) => (compared ? [compared.compared] : []))),
  ]
}

/** Of how many days the change is, where not of all. */
function changeWords(compared: readonly ComparedDays[]): readonly string[] {
  const [fewest] = compared.toSorted((one, other) => one.days - other.days)
  if (!fewest || fewest.days === fewest.of) return []
  if (fewest.days === 0) return ['Nothing is saved to compare with']
  return [`Change over ${fewest.days} of ${daysWords(fewest.of)}`]
}
