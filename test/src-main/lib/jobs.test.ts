import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeskFailure } from '#shared/api/failure.ts'
import { isOver } from '#shared/app/jobs.ts'
import type { JobId, JobKind, JobState } from '#shared/app/jobs.ts'
import { TryAgain } from '#main/lib/jobs.ts'
import { runs } from '#test/helpers/long.ts'
import { settled } from '../reports/clock.ts'
import { away, made, opened } from './opened-jobs.ts'

/** What may follow a state, as a person is told. */
const next: { readonly [K in JobState['kind']]: readonly JobState['kind'][] } = {
  queued: ['running', 'paused', 'cancelled'],
  running: ['running', 'queued', 'paused', 'done', 'failed', 'cancelled'],
  paused: ['queued', 'running', 'cancelled', 'paused'],
  done: [],
  failed: [],
  cancelled: [],
}

describe('a job', () => {
  it('runs, says how far it is, and what it made', async () => {
    const { jobs, told, run, turnOf, stateOf, clock } = opened()
    const id = run('export')
    await settled()
    turnOf(id)?.progress({ done: 1, total: 2, unit: 'rows' })
    expect(stateOf(id)).toEqual({ kind: 'running', done: 1, total: 2, unit: 'rows' })
    turnOf(id)?.progress({ done: 1, total: 2, unit: 'rows' })
    expect(told.map(({ state }) => state.kind)).toEqual(['running', 'running'])
    await clock.move(200)
    turnOf(id)?.progress({ done: 2, total: 2, unit: 'rows' })
    turnOf(id)?.end(made)
    expect(await jobs.ended(id)).toEqual({ kind: 'done', file: 'Script.csv', rows: 2 })
    expect(told.map(({ state }) => state.kind)).toEqual(['running', 'running', 'running', 'done'])
    expect(jobs.fileOf(id)).toBe('/downloads/Script.csv')
    turnOf(id)?.progress({ done: 9, total: 9, unit: 'rows' })
    expect(stateOf(id)?.kind).toBe('done')
  })

  it('waits while another of its lane runs, and has its place until it has ended', async () => {
    const { jobs, run, stateOf, turnOf } = opened()
    const [first, second] = [run('publish', false), run('publish')]
    await settled()
    expect([stateOf(first)?.kind, stateOf(second)?.kind]).toEqual(['running', 'queued'])
    jobs.cancel(first)
    await settled()
    expect([stateOf(first)?.kind, stateOf(second)?.kind]).toEqual(['running', 'queued'])
    turnOf(first)?.fail(new Error('Ended.'))
    await settled()
    expect([stateOf(first)?.kind, stateOf(second)?.kind]).toEqual(['cancelled', 'running'])
  })

  it('is run again after the pause that its work asks for, or once it is resumed, and fails for good', async () => {
    const { jobs, run, stateOf, turnOf, turns, clock } = opened()
    const id = run('export')
    await settled()
    turnOf(id)?.fail(new TryAgain(away, 1000))
    await settled()
    expect(stateOf(id)).toEqual({ kind: 'paused', failure: away })
    turnOf(id)?.progress({ done: 1, total: 2, unit: 'rows' })
    expect(stateOf(id)?.kind).toBe('paused')
    await clock.move(999)
    expect(stateOf(id)?.kind).toBe('paused')
    await clock.move(1)
    expect(stateOf(id)?.kind).toBe('running')
    for (const goOn of ['resume', 'restart'] as const) {
      turnOf(id)?.fail(new TryAgain(away, null))
      await settled()
      expect(stateOf(id)).toEqual({ kind: 'paused', failure: away })
      expect(clock.waiting()).toEqual([])
      jobs[goOn](id)
      await settled()
      expect(stateOf(id)?.kind).toBe('running')
    }
    turnOf(id)?.fail(new DeskFailure(away))
    expect(await jobs.ended(id)).toEqual({ kind: 'failed', failure: away })
    expect(turns.get(id)).toHaveLength(4)
  })

  it('begins anew where it runs, and not where a person paused it', async () => {
    const { jobs, run, stateOf, turns } = opened()
    const id = run('export')
    await settled()
    jobs.restart(id)
    await settled()
    expect(turns.get(id)?.map(({ signal }) => signal.aborted)).toEqual([true, false])
    jobs.hold(id)
    await settled()
    jobs.restart(id)
    await settled()
    expect(stateOf(id)).toEqual({ kind: 'paused', failure: null })
    expect(turns.get(id)).toHaveLength(2)
  })

  it('waits in its lane by the priority that it was given last', async () => {
    const { jobs, run, stateOf, turnOf, clock } = opened()
    const [first, second, third] = [run('publish'), run('publish'), run('publish')]
    await settled()
    jobs.prioritize(third, 1)
    jobs.prioritize(first, -1)
    turnOf(first)?.end(made)
    await settled()
    expect([second, third].map((id) => stateOf(id)?.kind)).toEqual(['queued', 'running'])
    // Behind the one that has the higher priority, also after a pause.
    jobs.prioritize(third, -1)
    turnOf(third)?.fail(new TryAgain(away, 1000))
    await settled()
    await clock.move(1000)
    expect([second, third].map((id) => stateOf(id)?.kind)).toEqual(['running', 'queued'])
  })

  it('that outlives its session passes requests of the user to the module that stored it', async () => {
    const { jobs, run, stateOf } = opened()
    const requests: string[] = []
    const id = run('export', true, { onRequest: (requested) => Promise.resolve(requests.push(requested)) })
    await settled()
    await jobs.handlers['jobs/pause']({ id })
    await jobs.handlers['jobs/resume']({ id })
    await jobs.handlers['jobs/cancel']({ id })
    expect(requests).toEqual(['pause', 'run', 'cancel'])
    expect(stateOf(id)?.kind).toBe('running')
    await jobs.stop()
    expect(stateOf(id)?.kind).toBe('cancelled')
    expect(requests).toHaveLength(3)
  })

  it('is paused in the midst and resumed, and is over once whatever comes too late', async () => {
    const { jobs, run, stateOf, turnOf, turns } = opened()
    const id = run('export')
    await settled()
    jobs.hold(id)
    await settled()
    expect(turns.get(id)?.[0]?.signal.aborted).toBe(true)
    expect(stateOf(id)).toEqual({ kind: 'paused', failure: null })
    jobs.resume(id)
    await settled()
    turnOf(id)?.end(made)
    await settled()
    jobs.cancel(id)
    jobs.hold(id)
    jobs.resume(id)
    expect(await jobs.ended(id)).toMatchObject({ kind: 'done' })
    jobs.dismiss(id)
    expect(jobs.list()).toEqual([])
  })

  it('takes the place of the one before of the same, and is forgotten after twenty of its kind', async () => {
    const { jobs, removed, run, turnOf } = opened()
    const done = async (kind: JobKind) => {
      const id = run(kind)
      await settled()
      turnOf(id)?.end(made)
      await jobs.ended(id)
      return id
    }
    const first = await done('backup')
    const second = run('backup')
    expect(removed).toEqual([first])
    expect(jobs.list().map(({ id }) => id)).toEqual([second])
    const exported: JobId[] = []
    for (let turn = 0; turn < 22; turn += 1) exported.push(await done('export'))
    expect(removed).toEqual([first, ...exported.slice(0, 2)])
    jobs.see(exported[5] ?? second)
    expect(jobs.list().filter(({ seen }) => seen)).toHaveLength(1)
  })

  it('leaves the list as soon as it is over, however, where nobody asked for it', async () => {
    const { jobs, removed, run, turnOf } = opened()
    const done = run('look', true, { passing: true })
    await settled()
    expect(jobs.list().map(({ id }) => id)).toEqual([done])
    turnOf(done)?.end(made)
    await settled()
    const cancelled = run('look', true, { passing: true })
    await settled()
    jobs.cancel(cancelled)
    await settled()
    expect(jobs.list()).toEqual([])
    expect(removed).toEqual([done, cancelled])
  })

  it('that is done in the moment in which it is cancelled is done', async () => {
    const { jobs, run, turnOf } = opened()
    const id = run('export', false)
    await settled()
    jobs.cancel(id)
    turnOf(id)?.end(made)
    expect(await jobs.ended(id)).toMatchObject({ kind: 'done' })
  })
})

describe('work in parts', () => {
  it('lets jobs of a higher priority pass between its parts, and goes on where it was', async () => {
    const { jobs, run, stateOf, turnOf, turns } = opened()
    const first = run('publish')
    const [low, high] = [run('publish', true, { priority: -2 }), run('publish')]
    await settled()
    let isOn = false
    const requeued = turnOf(first)?.requeue(-1)
    void requeued?.then(() => (isOn = true))
    await settled()
    expect([first, low, high].map((id) => stateOf(id)?.kind)).toEqual(['queued', 'queued', 'running'])
    turnOf(high)?.end(made)
    await settled()
    expect([isOn, stateOf(first)?.kind, stateOf(low)?.kind]).toEqual([true, 'running', 'queued'])
    turnOf(first)?.end(made)
    await settled()
    expect([stateOf(first)?.kind, stateOf(low)?.kind]).toEqual(['done', 'running'])
    expect(turns.get(first)).toHaveLength(1)
    jobs.cancel(low)
  })

  it('is cancelled or begun anew while it waits for its next part', async () => {
    const { jobs, run, stateOf, turnOf, turns } = opened()
    const [first, second] = [run('publish', false), run('publish', false)]
    await settled()
    const waiting = turnOf(first)
    const outcome = waiting?.requeue(-1).catch((error: unknown) => waiting.fail(error as Error))
    await settled()
    jobs.restart(first)
    await outcome
    await settled()
    expect([stateOf(first)?.kind, stateOf(second)?.kind]).toEqual(['queued', 'running'])
    jobs.cancel(first)
    expect(await jobs.ended(first)).toEqual({ kind: 'cancelled' })
    expect(turns.get(first)).toHaveLength(1)
    turnOf(second)?.end(made)
    expect(await jobs.ended(second)).toMatchObject({ kind: 'done' })
  })
})

it('cancels the jobs of one kind, and resolves once they have ended', async () => {
  const { jobs, run, stateOf, turnOf } = opened()
  const [publishing, waiting, exporting] = [run('publish', false), run('publish'), run('export')]
  await settled()
  let hasEnded = false
  const cancelled = jobs.cancelAll('publish').then(() => (hasEnded = true))
  await settled()
  expect([hasEnded, stateOf(waiting)?.kind, stateOf(exporting)?.kind]).toEqual([
    false,
    'cancelled',
    'running',
  ])
  turnOf(publishing)?.fail(new Error('Ended.'))
  await cancelled
  expect(stateOf(publishing)?.kind).toBe('cancelled')
})

const verbs = ['cancel', 'hold', 'resume', 'restart', 'dismiss', 'end', 'fail', 'again', 'progress'] as const

type Step =
  | { readonly kind: 'run'; readonly of: JobKind; readonly heeds: boolean }
  | {
      readonly kind: (typeof verbs)[number]
      readonly at: number
    }
  | { readonly kind: 'wait'; readonly milliseconds: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('run' as const),
    of: fc.constantFrom<JobKind>('export', 'publish'),
    heeds: fc.boolean(),
  }),
  fc.record({
    kind: fc.constantFrom(...verbs),
    at: fc.integer({ min: 0, max: 5 }),
  }),
  fc.record({ kind: fc.constant('wait' as const), milliseconds: fc.constantFrom(100, 1000, 5000) }),
)

describe('jobs', () => {
  it('go from state to state as they may, one of a lane at a time, and are all over once they are stopped', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { jobs, clock, told, turns, run, turnOf } = opened()
        const ids: JobId[] = []
        const take = async (each: Step) => {
          if (each.kind === 'run') return void ids.push(run(each.of, each.heeds))
          if (each.kind === 'wait') return await clock.move(each.milliseconds)
          const id = ids[each.at]
          if (id === undefined) return
          if (each.kind === 'end') turnOf(id)?.end(made)
          else if (each.kind === 'fail') turnOf(id)?.fail(new DeskFailure(away))
          else if (each.kind === 'again')
            turnOf(id)?.fail(new TryAgain(away, each.at % 2 === 0 ? null : 1000))
          else if (each.kind === 'progress') turnOf(id)?.progress({ done: 1, total: null, unit: 'rows' })
          else jobs[each.kind](id)
        }
        for (const each of steps) {
          await take(each)
          await settled()
          const publishing = jobs
            .list()
            .filter(({ kind, state }) => kind === 'publish' && state.kind === 'running')
          expect(publishing.length).toBeLessThanOrEqual(1)
        }
        const states = ids.map((id) => jobs.ended(id).catch(() => null))
        const stopped = jobs.stop()
        await settled()
        // What does not heed its signal ends by itself.
        for (const own of turns.values()) for (const { fail } of own) fail(new Error('Ended.'))
        await stopped
        for (const state of await Promise.all(states)) expect(state === null || isOver(state)).toBe(true)
        expect(jobs.list().every(({ state }) => isOver(state))).toBe(true)
        for (const id of ids) {
          const kinds = told.filter((job) => job.id === id).map(({ state }) => state.kind)
          kinds.slice(1).forEach((kind, index) => expect(next[kinds[index] ?? 'done']).toContain(kind))
        }
        expect(await jobs.ended(run('export'))).toEqual({ kind: 'cancelled' })
      }),
      { numRuns: runs(100, 5000), seed: 20261127 },
    )
  })
})
