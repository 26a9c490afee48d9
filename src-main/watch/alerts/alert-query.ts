import { isOffered, normalise, plainTable } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { readAddress } from '#shared/views/address.ts'
import { hasRuleSets } from '#shared/watch/alert-check.ts'
import { daysRead } from '#shared/watch/alerts.ts'
import type { AlertEntry } from '#shared/watch/alerts.ts'
import { noteView } from '#shared/watch/notes.ts'

/**
 * Returns the query of an alert's figures over the last `daysRead` days; null if this version does not know its view.
 * @param today the current day in the account's zone
 */
export function queryOfAlert({ view, family, measure }: AlertEntry, today: Day): ReportQuery | null {
  const address = readAddress(view)
  const rules = measure === 'rule-mix'
  if (rules && !hasRuleSets(address)) return null
  const range = { start: addDays(today, -daysRead), end: addDays(today, -1) }
  if (address.kind !== 'overview' && address.kind !== 'reports') return null
  // An address of another version is read as another view.
  if (noteView(address) !== view) return null
  const { instance, source, campaign } = address
  if (address.kind === 'overview')
    return normalise({ kind: 'overview', family, range, instance, source, campaign, chart: false })
  if (address.family !== family) return null
  const { dimension, filters } = address
  const scope = { instance, source, campaign, range }
  const query: ReportQuery = { ...plainTable, family, dimension, filters, ...scope, rules }
  return isOffered(query) ? normalise(query) : null
}

/** Query of an account's totals. */
export const totalsQuery = (family: AlertEntry['family'], today: Day): ReportQuery =>
  normalise({
    ...{ kind: 'overview', family, instance: null, source: null, campaign: null, chart: false },
    range: { start: addDays(today, -daysRead), end: addDays(today, -1) },
  })
