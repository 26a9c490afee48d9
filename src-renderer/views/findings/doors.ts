import type { Label } from '#shared/api/answers.ts'
import { composedOf } from '#shared/api/dimensions.ts'
import { watchedCounts } from '#shared/reports/overview-figures.ts'
import { keyText } from '#shared/reports/rows.ts'
import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId, InstanceId } from '#shared/values/ids.ts'
import { readAddress } from '#shared/views/address.ts'
import type { OverviewAddress, ReportAddress } from '#shared/views/view-address.ts'
import type { Alert, AlertCondition, AlertEntry, Finding } from '#shared/watch/alerts.ts'
import { daysOfFinding } from '#shared/watch/day-events.ts'
import { switchAccount } from '#renderer/components/frame/frame-commands.ts'
import type { WindowApp } from '#renderer/stores/app.ts'
import { beginCase } from '#renderer/stores/begin-case.ts'
import { figureOf } from '#renderer/stores/explain.svelte.ts'
import type { ChangedFigure } from '#renderer/stores/explain.svelte.ts'
import { limitedTo } from '../reports/filter-changes.ts'

/** Days before a finding that it is compared with: four of each weekday. */
const DAYS_BEFORE = 28

/** Days shown before a finding, and after it, in its chart. */
const DAYS_IN_CHART = 42

/** Label of a finding's row; null for a total or several rows. */
function labelOf({ row }: Pick<Finding, 'row'>): Label | null {
  if (!row) return null
  return row.key.startsWith('instance ')
    ? { kind: 'instance', id: keyText(row.key) as InstanceId, name: row.text }
    : { kind: 'text', text: keyText(row.key) }
}

/** The finding's view on its days, compared with the days before. Null if this version does not know the view. */
function viewOf(finding: Finding, today: Day): OverviewAddress | ReportAddress | null {
  const address = readAddress(finding.view)
  if (address.kind !== 'overview' && address.kind !== 'reports') return null
  const start = addDays(finding.from, -DAYS_BEFORE)
  const isMix = address.kind === 'reports' && finding.measure === 'rule-mix'
  return {
    ...(isMix ? { ...address, chart: { kind: 'rules', measures: [] } } : address),
    period: { kind: 'custom', range: daysOfFinding(finding, today) },
    compare: { kind: 'custom', range: { start, end: addDays(finding.from, -1) } },
  }
}

/** The finding's view limited to its row. */
export function placeOfFinding(finding: Finding, today: Day): OverviewAddress | ReportAddress | null {
  const view = viewOf(finding, today)
  const label = labelOf(finding)
  if (view?.kind !== 'reports' || !label) return view
  const step = limitedTo(view, label)
  return step ? { ...view, ...step.difference } : view
}

/** The view that a preview points to, on one day. */
export function placeOfDay(view: string, day: Day): OverviewAddress | ReportAddress | null {
  const address = readAddress(view)
  if (address.kind !== 'overview' && address.kind !== 'reports') return null
  return { ...address, period: { kind: 'custom', range: { start: day, end: day } } }
}

/** The changed figure of a finding, for its explanation against the days before. Null if it cannot be explained. */
export function figureOfFinding(finding: Finding, today: Day): ChangedFigure | null {
  const view = viewOf(finding, today)
  if (!view) return null
  const { family, measure } = finding
  // A mix has no figure that adds up over rows.
  if (measure === 'rule-mix') return null
  const isRate = measure === 'bad-rate'
  const whole: ChangedFigure = {
    ...{ address: view, family, header: isRate ? watchedCounts[family] : 'Requests' },
    ...{ base: isRate ? 'Requests' : null, by: isRate ? 'rate' : 'count', row: null },
  }
  const label = labelOf(finding)
  if (view.kind !== 'reports' || !label) return whole
  const { dimension } = view
  return figureOf(whole, dimension, label) ?? { ...whole, row: { dimension, label } }
}

/** Returns a function that starts a case about the finding's source, campaign or instance. Null for other rows. */
export function caseOfFinding(app: WindowApp, finding: Finding, today: Day): (() => void) | null {
  const label = labelOf(finding)
  const view = placeOfFinding(finding, today)
  const own = readAddress(finding.view)
  if (!label || own.kind !== 'reports' || view?.kind !== 'reports') return null
  const about = label.kind === 'instance' ? 'instance' : composedOf(own.dimension)
  if (about === null || (about === 'campaign' && view.source === null)) return null
  const subject = (finding.row?.text ?? '').slice(0, 1000)
  return () => void beginCase(app, view, { about, subject })
}

/** Runs something in the account of a finding, which is activated first. */
export async function inAccount(app: WindowApp, account: AccountId, run: () => void): Promise<void> {
  await switchAccount(app, account)
  if (app.desk.account?.id === account) run()
}

/** The alert that draws the band or the line of a finding: its own, if it still exists, for the finding's row. */
export function entryOfFinding(finding: Finding, alerts: readonly Alert[]): AlertEntry {
  const { view, family, measure, row } = finding
  const known = alerts.find(({ id }) => id === finding.alert)
  return {
    ...{ view, family, measure, row: row?.key ?? null, condition: conditionOfFinding(finding, known) },
    ...{ leastRequests: known?.leastRequests ?? 0, leastChange: known?.leastChange ?? 0 },
    ...{ weekdays: [1, 2, 3, 4, 5, 6, 7], telling: 'at-once' },
  }
}

/** The line that a finding crossed, also if its alert has another one now. What is usual without a line that is known. */
function conditionOfFinding(
  { condition: kind, measure, usual, rows }: Finding,
  known: Alert | undefined,
): AlertCondition {
  // Requests of several rows are a sum.
  if (kind === 'above' || kind === 'below')
    return { kind, value: measure === 'requests' ? usual / Math.max(1, rows.length) : usual }
  const isLine = kind === 'rose' || kind === 'fell'
  return isLine && known?.condition.kind === kind ? known.condition : { kind: 'unusual' }
}

/** Returns the last days of a chart that shows a finding. */
export const chartDays = <D extends { readonly day: Day }>(band: readonly D[], { from }: Finding): D[] =>
  band.filter(({ day }) => day >= addDays(from, -DAYS_IN_CHART))
