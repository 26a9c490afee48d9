import { Jobs } from '#main/lib/jobs.ts'
import type { JobContext, JobOrder, JobResult } from '#main/lib/jobs.ts'
import type { Job, JobId, JobKind } from '#shared/app/jobs.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { HandClock } from '../reports/clock.ts'

export const away = { kind: 'offline', message: 'The service cannot be reached.' } as const
export const made: JobResult = { file: 'Script.csv', folder: '/downloads', rows: 2 }

type Turn = JobContext & { readonly end: (result: JobResult) => void; readonly fail: (error: Error) => void }

/** Jobs whose work ends when a test says so, with all that is told of each. */
export function opened(heard: (job: Job) => void = () => undefined) {
  const told: Job[] = []
  const removed: JobId[] = []
  const clock = new HandClock('2026-11-27T05:00:00Z')
  const events = eventsTo((event) => {
    if (event.kind === 'jobs/changed') {
      told.push(event.job)
      heard(event.job)
    }
    if (event.kind === 'jobs/removed') removed.push(...event.ids)
  })
  const jobs = new Jobs(events, clock)
  const turns = new Map<JobId, Turn[]>()
  const run = (kind: JobKind, heeds = true, rest: Partial<JobOrder> = {}) => {
    const own: Turn[] = []
    const work = (context: JobContext) =>
      new Promise<JobResult>((resolve, reject) => {
        own.push({ ...context, end: resolve, fail: reject })
        if (heeds) context.signal.addEventListener('abort', () => reject(new Error('Aborted.')))
      })
    const account = 'a' as AccountId
    const { id } = jobs.run({
      kind,
      account,
      subject: null,
      title: 'Script',
      unit: 'rows',
      run: work,
      ...rest,
    })
    turns.set(id, own)
    return id
  }
  const stateOf = (id: JobId) => jobs.list().find((job) => job.id === id)?.state
  const turnOf = (id: JobId) => turns.get(id)?.at(-1)
  return { jobs, clock, told, removed, turns, run, stateOf, turnOf }
}
