import { composedOf } from '../api/dimensions.ts'
import { readAddress } from '../views/address.ts'
import type { ViewAddress } from '../views/view-address.ts'
import { weekdays } from './alerts.ts'
import type { AlertEntry } from './alerts.ts'
import { noteView } from './notes.ts'

type FaultyField = 'view' | 'row' | 'condition' | 'value' | 'weekdays'

/** Whether the tables of a view can have rule sets: composed tables and overviews have none. */
export const hasRuleSets = (address: ViewAddress): boolean =>
  address.kind === 'reports' && composedOf(address.dimension) === null

/**
 * Normalises an alert.
 * @returns the alert, or the field that is invalid and why
 */
export function checkedAlert(
  entry: AlertEntry,
):
  | { readonly kind: 'alert'; readonly entry: AlertEntry }
  | { readonly kind: 'fault'; readonly field: FaultyField; readonly message: string } {
  const fault = (field: FaultyField, message: string) => ({ kind: 'fault', field, message }) as const
  const { row, condition } = entry
  const address = readAddress(entry.view)
  if (address.kind !== 'overview' && address.kind !== 'reports') {
    return fault('view', 'Only Overview and reports can have alerts.')
  }
  if (address.kind === 'reports' && address.family !== entry.family) {
    return fault('view', 'This report has figures of another kind.')
  }
  if (row !== null && address.kind === 'overview') return fault('row', 'Overview has no rows to choose from.')
  if (entry.measure === 'rule-mix') {
    if (!hasRuleSets(address)) return fault('view', 'This view has no rule sets. Choose another report.')
    if (condition.kind !== 'unusual') return fault('condition', 'A rule mix can only be unusual.')
  }
  // Without requests there is no rate.
  const measure = condition.kind === 'stopped' ? 'requests' : entry.measure
  if ('value' in condition) {
    if (condition.kind === 'below' && condition.value === 0) return fault('value', 'Enter more than 0.')
    if (measure === 'bad-rate' && condition.value > 100) return fault('value', 'Enter 100% or less.')
    if (measure === 'bad-rate' && condition.kind === 'above' && condition.value === 100)
      return fault('value', 'Enter less than 100%.')
  }
  // Nothing falls by more than all.
  if (condition.kind === 'fell' && condition.percent > 100) return fault('value', 'Enter 100% or less.')
  const days = weekdays.filter((weekday) => entry.weekdays.includes(weekday))
  if (days.length === 0) return fault('weekdays', 'Choose at least one day of the week.')
  return { kind: 'alert', entry: { ...entry, view: noteView(address), measure, weekdays: days } }
}
