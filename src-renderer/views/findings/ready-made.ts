import type { Family } from '#shared/api/dimensions.ts'
import { plainOverview, plainReport } from '#shared/views/address.ts'
import type { AlertEntry, AlertState, ReadyMadeAlert } from '#shared/watch/alerts.ts'
import { weekdays } from '#shared/watch/alerts.ts'
import { noteView } from '#shared/watch/notes.ts'

/** Default entry of a new alert. */
export const plainAlert: Omit<AlertEntry, 'view' | 'family'> = {
  ...{ row: null, measure: 'bad-rate', condition: { kind: 'unusual' } },
  ...{ leastRequests: 0, leastChange: 0, weekdays, telling: 'at-once' },
}

/** Entry of a ready-made alert for a family. */
export function readyMadeEntry(name: ReadyMadeAlert, family: Family): AlertEntry {
  const by = (dimension: 'sources' | 'sessions') => noteView({ ...plainReport, family, dimension })
  switch (name) {
    case 'rate-by-source':
      return { ...plainAlert, family, view: by('sources') }
    case 'rate-by-instance':
      return { ...plainAlert, family, view: by('sessions') }
    case 'rate-of-account':
      return { ...plainAlert, family, view: noteView(plainOverview) }
    case 'source-stopped':
      return {
        ...plainAlert,
        family,
        view: by('sources'),
        measure: 'requests',
        condition: { kind: 'stopped' },
      }
    case 'mix-by-instance':
      return { ...plainAlert, family, view: by('sessions'), measure: 'rule-mix' }
  }
}

/** Returns the alert that a ready-made one became; undefined while it is off. */
export function madeOf(
  name: ReadyMadeAlert,
  family: Family,
  alerts: readonly AlertState[],
): AlertState | undefined {
  const { view, row, measure, condition } = readyMadeEntry(name, family)
  return alerts.find(
    (alert) =>
      alert.view === view &&
      alert.family === family &&
      alert.row === row &&
      alert.measure === measure &&
      alert.condition.kind === condition.kind,
  )
}
