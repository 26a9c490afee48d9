import type { Failure } from '#shared/api/failure.ts'
import type { CaseId } from '#shared/cases/case.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { SavedViewId, SavedViewState } from '#shared/views/saved-views.ts'
import { usualFileNames } from '#shared/watch/schedules.ts'
import type { ScheduleId, ScheduleRun, ScheduleState } from '#shared/watch/schedules.ts'
import { FakeDesk, account, failed, good } from './fake-desk.ts'

const uuid = (start: string, number: number) =>
  `${start.repeat(8)}-2222-4222-8222-${String(number).padStart(12, '0')}`

export const view = (number: number, changes: Partial<SavedViewState> = {}): SavedViewState => ({
  ...{ id: uuid('8', number) as SavedViewId, name: `View ${number}`, address: '#/reports/script/sources' },
  ...{ pinned: false, depth: null, start: false, stored: null, syncing: false, failure: null },
  ...changes,
})

export const caseNumber = uuid('c', 1) as CaseId

/** A run that was due on a day of November 2026 at 07:00 UTC. */
export const run = (date: number, state: ScheduleRun['state']): ScheduleRun => ({
  day: day(`2026-11-${String(date).padStart(2, '0')}`),
  dueAt: Date.UTC(2026, 10, date, 7) as Instant,
  state,
})

export const made = (date: number, late = false): ScheduleRun =>
  run(date, {
    ...{ kind: 'made', at: Date.UTC(2026, 10, date, 7, 1) as Instant, late },
    ...{
      files: [`Kestrel Media View 1 2026-11-${date}.pdf`],
      oldest: Date.UTC(2026, 10, date, 6) as Instant,
    },
  })

const gone: Failure = { kind: 'invalid', message: 'Its view was deleted.' }
export const skipped = (date: number): ScheduleRun => run(date, { kind: 'skipped', reason: gone })

export const schedule = (number: number, changes: Partial<ScheduleState> = {}): ScheduleState => ({
  ...{ id: uuid('9', number) as ScheduleId, name: `Weekly ${number}`, fileNames: usualFileNames },
  ...{ subject: { kind: 'views', views: [view(1).id] }, format: 'pdf', folder: null, settled: false },
  rule: { days: { kind: 'week', weekdays: [1] }, hour: 8, minute: 0, zone: 'Europe/Berlin' },
  ...{ patience: 24, paused: false, nextAt: Date.UTC(2026, 10, 23, 7) as Instant, runs: [] },
  ...changes,
})

/** A desk that stores schedules, as the main process does. */
export function deskWithSchedules(given: readonly ScheduleState[], desk = new FakeDesk()) {
  let schedules = given
  const change = (next: readonly ScheduleState[]) => {
    schedules = next
    desk.emit('schedules/changed', { account: account.id })
  }
  desk
    .answer('views/list', () => good([view(1), view(2), view(3, { name: 'Rows', address: '#/rows' })]))
    .answer('schedules/list', () => good(schedules))
    .answer('schedules/save', ({ id, entry, isNew = false }) => {
      const before = schedules.find((each) => each.id === id)
      const saved = { ...schedule(90 + schedules.length), ...before, ...entry, ...(id && { id }) }
      change(
        id === null || isNew
          ? [...schedules, saved]
          : schedules.map((each) => (each.id === id ? saved : each)),
      )
      return good(saved)
    })
    .answer('schedules/remove', ({ id }) => {
      const removed = schedules.find((each) => each.id === id)
      change(schedules.filter((each) => each.id !== id))
      return removed ? good(removed) : failed('internal')
    })
  return { desk, schedules: () => schedules, change }
}
