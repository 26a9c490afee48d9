import { isFresh, isStanding } from '#shared/watch/alerts.ts'
import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Finding } from '#shared/watch/alerts.ts'

/** Choices of findings in the list. */
export const findingFilters = ['new', 'standing', 'all'] as const
export type FindingFilter = (typeof findingFilters)[number]

export const filterWords: Readonly<Record<FindingFilter, string>> = {
  new: 'New',
  standing: 'Open',
  all: 'All',
}

/** Findings of one account that were found on the same morning. */
export type FindingGroup = {
  readonly account: AccountId
  readonly morning: Day
  readonly findings: readonly Finding[]
}

/**
 * Filters findings. The open finding stays listed.
 * @param fresh ids of the findings that were new when the list was opened, because opening one marks it as seen
 */
export function chosenFindings(
  findings: readonly Finding[],
  filter: FindingFilter,
  open: string | null,
  fresh: ReadonlySet<string>,
): readonly Finding[] {
  const isChosen = (finding: Finding): boolean => {
    if (filter === 'all' || finding.id === open) return true
    const { dismissed, mutedUntil } = finding
    if (dismissed !== null || mutedUntil !== null) return false
    return filter === 'standing' ? isStanding(finding) : isFresh(finding) || fresh.has(finding.id)
  }
  return findings.filter(isChosen)
}

/** Groups findings by account and morning, in their order. */
export function groupedFindings(
  findings: readonly Finding[],
  zoneOf: (account: AccountId) => string,
): readonly FindingGroup[] {
  const groups = new Map<string, FindingGroup>()
  for (const finding of findings) {
    const { account, foundAt } = finding
    const morning = dayAt(foundAt, zoneOf(account))
    const key = `${morning} ${account}`
    const known = groups.get(key)
    groups.set(key, { account, morning, findings: [...(known?.findings ?? []), finding] })
  }
  return [...groups.values()]
}
