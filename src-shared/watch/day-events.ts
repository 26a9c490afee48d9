import type { Family } from '../api/dimensions.ts'
import type { Restatements } from '../reports/answer.ts'
import { keyText } from '../reports/rows.ts'
import { addDays, dayRuns, daysOf } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import { instantOf } from '../values/ids.ts'
import type { InstanceId, Instant } from '../values/ids.ts'
import { plainOverview, plainReport, readAddress } from '../views/address.ts'
import type { OverviewAddress, ReportAddress } from '../views/view-address.ts'
import { isStanding } from './alerts.ts'
import type { Finding } from './alerts.ts'
import { isShownIn, noteView } from './notes.ts'
import type { NoteSubject } from './notes.ts'

/** What the app itself knows of days of a chart. Derived from findings and restatements; never stored as a note. */
export type DayEvent =
  | { readonly kind: 'finding'; readonly range: DayRange; readonly finding: Finding }
  /** Days in a row whose figures changed after they were stored. `latest`: when the newest change was fetched. */
  | { readonly kind: 'restated'; readonly range: DayRange; readonly latest: Instant }

/** Days of a finding, up to yesterday while it stands. */
export function daysOfFinding(finding: Finding, today: Day): DayRange {
  const { from, to, day } = finding
  const last = isStanding(finding) ? addDays(today, -1) : to === null ? day : addDays(to, -1)
  return { start: from, end: [from, last, ...(to === null ? [day] : [])].toSorted().at(-1) ?? from }
}

/** Findings that stand, or stood until they were over. */
const markedStates: ReadonlySet<Finding['state']> = new Set(['so-far', 'standing', 'over', 'usual'])

/**
 * Returns the findings that a chart marks: of its own view, of the account, or of what the view is limited to. False
 * alarms and withdrawn findings are not marked.
 * @param today the current day in the account's zone
 */
export const findingEvents = (
  findings: readonly Finding[],
  { address, family, today }: ChartOfDays,
): readonly DayEvent[] =>
  findings
    .filter(
      (finding) =>
        finding.family === family &&
        finding.dismissed !== 'wrong' &&
        markedStates.has(finding.state) &&
        (finding.view === noteView(address) || isShownIn({ subject: subjectOf(finding) }, address)),
    )
    .map((finding) => ({ kind: 'finding', range: daysOfFinding(finding, today), finding }))

export type ChartOfDays = {
  readonly address: OverviewAddress | ReportAddress
  readonly family: Family
  readonly today: Day
}

/** What a finding is about, as a note on it would be. */
function subjectOf({ view, row }: Finding): NoteSubject {
  const address = readAddress(view)
  if (address.kind === 'reports') {
    const { family, dimension } = address
    if (row && view === noteView({ ...plainReport, family, dimension })) {
      if (dimension === 'sources') return { kind: 'source', source: keyText(row.key) }
      if (dimension === 'sessions')
        return { kind: 'instance', id: keyText(row.key) as InstanceId, name: row.text }
    }
  } else if (address.kind === 'overview') {
    const { instance, source } = address
    if (view === noteView(plainOverview)) return { kind: 'account' }
    if (instance !== null && view === noteView({ ...plainOverview, instance }))
      return { kind: 'instance', id: instance, name: instance }
    if (source !== null && view === noteView({ ...plainOverview, source })) return { kind: 'source', source }
  }
  return { kind: 'view', view }
}

/** Returns the days whose totals were restated. Days in a row are one event. */
export function restatedEvents({ items }: Pick<Restatements, 'items'>): readonly DayEvent[] {
  const latestOf = new Map<Day, Instant>()
  for (const { range, totals, afterFetchedAt } of items) {
    if (totals.length === 0) continue
    for (const day of daysOf(range)) {
      const known = latestOf.get(day)
      if (known === undefined || known < afterFetchedAt) latestOf.set(day, afterFetchedAt)
    }
  }
  return dayRuns([...latestOf.keys()].toSorted()).map((range) => {
    const latest = Math.max(...daysOf(range).map((day) => latestOf.get(day) ?? 0))
    return { kind: 'restated', range, latest: instantOf(latest) }
  })
}
