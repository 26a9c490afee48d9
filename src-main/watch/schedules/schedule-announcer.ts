import { join } from 'node:path'
import * as v from 'valibot'
import { instantOf } from '#shared/values/ids.ts'
import { day } from '#shared/values/schemas.ts'
import type { Day } from '#shared/values/day.ts'
import { scheduleId } from '#shared/watch/schedule-schemas.ts'
import type { ScheduleId } from '#shared/watch/schedules.ts'
import type { StoredRun } from '#main/database/state/schedules-repository.ts'
import { Announcer, maxSingly } from '#main/lib/announcer.ts'
import { ShownLog } from '#main/lib/shown-log.ts'
import type { AnnouncedRun, SchedulesContext } from './schedules-context.ts'

type LoggedRun = readonly [ScheduleId, Day]

const parts = v.tuple([scheduleId, day])

type NamedRun = { readonly run: StoredRun; readonly announced: AnnouncedRun }

/** Log of shown runs in the profile folder. */
const runLog = (folder: string): ShownLog<LoggedRun> =>
  new ShownLog(join(folder, 'told-schedules.log'), (read) => {
    const key = v.safeParse(parts, read)
    return key.success ? key.output : undefined
  })

/** Announces runs that were made or skipped, each once. */
export class ScheduleAnnouncer {
  readonly #announcer: Announcer<NamedRun, LoggedRun>

  constructor(context: SchedulesContext) {
    const { accounts, clock, folder, news, store } = context
    this.#announcer = new Announcer<NamedRun, LoggedRun>({
      ...{ clock, log: runLog(folder), keyOf: ({ run }) => [run.schedule, run.day] as const },
      groups: async () => {
        const named = await untold(context)
        return named.length > maxSingly ? [named] : named.map((each) => [each])
      },
      mark: async (keys) => {
        const told = keys.map(([schedule, dueDay]) => ({ schedule, day: dueDay }))
        await store.run('schedule-runs/told', { keys: told, toldAt: instantOf(clock.now()) })
      },
      // The account may have been removed with its schedules.
      stillCurrent: (found) => {
        const ids = new Set(accounts.list().map(({ id }) => id))
        return found.filter(({ run }) => ids.has(run.account))
      },
      show: (found, handing) =>
        news.announceRuns(
          found.map(({ announced }) => announced),
          handing,
        ),
    })
  }

  /** Announces what waits. Never rejects. */
  flush(): Promise<void> {
    return this.#announcer.flush()
  }

  stop(): Promise<void> {
    return this.#announcer.stop()
  }
}

/** Runs that the desktop has not shown, with the names of their schedules. */
async function untold({ clock, store }: SchedulesContext): Promise<readonly NamedRun[]> {
  const runs = await store.run('schedule-runs/untold', { now: instantOf(clock.now()) })
  const accounts = [...new Set(runs.map(({ account }) => account))]
  const schedules = await Promise.all(accounts.map((account) => store.run('schedules/list', account)))
  const names = new Map(schedules.flat().map(({ id, name }) => [id, name]))
  return runs.flatMap((run) => {
    const name = names.get(run.schedule)
    const { account, state } = run
    if (name === undefined || (state.kind !== 'made' && state.kind !== 'skipped')) return []
    const isMade = state.kind === 'made'
    const announced: AnnouncedRun = {
      ...{ account, name, files: isMade ? state.files.length : 0, isLate: isMade && state.late },
      reason: isMade ? null : state.reason.message,
    }
    return [{ run, announced }]
  })
}
