import { randomUUID } from 'node:crypto'
import type { NewFinding } from '#main/database/state/findings-repository.ts'
import type { WatchedEpisode } from '#main/database/state/alerts-repository.ts'
import { day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import { weekdays } from '#shared/watch/alerts.ts'
import type { Alert, AlertEntry, AlertId, FindingId } from '#shared/watch/alerts.ts'
import type { SavedViewId } from '#shared/views/saved-views.ts'
import { usualFileNames } from '#shared/watch/schedules.ts'
import type { ScheduleEntry } from '#shared/watch/schedules.ts'

export const alertIdOf = (number: number) =>
  `44444444-4444-4444-8444-${String(number).padStart(12, '0')}` as AlertId

export const alertEntry = (changes: Partial<AlertEntry> = {}): AlertEntry => ({
  ...{ view: '#/reports/script/sources', family: 'script', row: null, measure: 'bad-rate' },
  ...{ condition: { kind: 'unusual' }, leastRequests: 0, leastChange: 20, weekdays, telling: 'at-once' },
  ...changes,
})

export const alert = (number: number, changes: Partial<AlertEntry> = {}): Alert => ({
  ...alertEntry(changes),
  ...{ id: alertIdOf(number), createdAt: instantOf(number) },
})

export const episode = (label: string | null, changes: Partial<WatchedEpisode> = {}): WatchedEpisode => ({
  ...{ kind: 'bad-rate', condition: 'unusual', label, from: day('2026-11-12'), told: day('2026-11-13') },
  ...{ usual: 0.08, now: 0.2, z: 6, state: 'standing', to: null, ended: null },
  ...changes,
})

/** A finding of a row. */
export const news = (key: string, changes: Partial<NewFinding> = {}): NewFinding => ({
  ...{ id: randomUUID() as FindingId, view: '#/reports/script/sources', family: 'script' },
  ...{ measure: 'bad-rate', condition: 'unusual', row: { key, text: key }, rows: [] },
  ...{ isShared: false, rule: null, isStopped: false, from: day('2026-11-12'), day: day('2026-11-13') },
  ...{ usual: 8, now: 20, z: 6, state: 'standing', to: null, settled: null, isWorse: false },
  foundAt: instantOf(Date.parse('2026-11-14T09:00:00Z')),
  ...changes,
})

export const viewIds = [
  '33333333-3333-4333-8333-333333333331' as SavedViewId,
  '33333333-3333-4333-8333-333333333332' as SavedViewId,
]

/** Every day at 08:00 in UTC, both views as CSV. */
export const entryWith = (changes: Partial<ScheduleEntry> = {}): ScheduleEntry => ({
  ...{ name: 'Weekly', fileNames: usualFileNames, subject: { kind: 'views', views: viewIds }, format: 'csv' },
  rule: { days: { kind: 'week', weekdays: [1, 2, 3, 4, 5, 6, 7] }, hour: 8, minute: 0, zone: 'UTC' },
  ...{ folder: null, settled: false, patience: 48, paused: false },
  ...changes,
})
