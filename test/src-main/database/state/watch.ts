import { randomUUID } from 'node:crypto'
import type { NewFinding } from '#main/database/state/findings-repository.ts'
import type { WatchedEpisode } from '#main/database/state/alerts-repository.ts'
import { day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import { weekdays } from '#shared/watch/alerts.ts'
import type { Alert, AlertEntry, AlertId, FindingId } from '#shared/watch/alerts.ts'

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
