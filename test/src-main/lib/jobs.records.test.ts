import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeskFailure } from '#shared/api/failure.ts'
import { isOver } from '#shared/app/jobs.ts'
import type { Job, JobId, JobState } from '#shared/app/jobs.ts'
import { runs } from '#test/helpers/long.ts'
import { settled } from '../reports/clock.ts'
import { away, made, opened } from './opened-jobs.ts'

describe('the record of a key', () => {
  const key = 'history'
  const refused = { kind: 'refused-token', message: 'The token was refused.' } as const

  it('has the active job, and how the last one ended once the list has forgotten it', async () => {
    const { jobs, clock, run, turnOf } = opened()
    expect(jobs.recordOf('publish', key)).toBeNull()
    const first = run('publish', true, { key })
    const startedAt = clock.now()
    expect(jobs.recordOf('publish', key)).toMatchObject({ active: { id: first }, last: null, startedAt })
    await clock.move(5000)
    turnOf(first)?.fail(new DeskFailure(away))
    await jobs.ended(first)
    jobs.dismiss(first)
    expect(jobs.list()).toEqual([])
    expect(jobs.recordOf('publish', key)).toMatchObject({
      ...{ kind: 'publish', key, active: null, failure: away, startedAt },
      last: { id: first, state: { kind: 'failed', failure: away }, endedAt: startedAt + 5000 },
    })
    const second = run('publish', true, { key })
    await settled()
    expect(jobs.recordOf('publish', key)).toMatchObject({ active: { id: second }, last: { id: first } })
    turnOf(second)?.end(made)
    await jobs.ended(second)
    expect(jobs.recordOf('publish', key)).toMatchObject({ last: { id: second }, failure: null })
    expect(jobs.recordOf('backup', key)).toBeNull()
  })

  it('is up to date when the end of a job is told', async () => {
    const known: unknown[] = []
    const { jobs, run, turnOf } = opened(({ state }) => {
      if (isOver(state)) known.push(jobs.recordOf('publish', key)?.last?.state)
    })
    const id = run('publish', true, { key })
    await settled()
    turnOf(id)?.fail(new DeskFailure(away))
    expect(known).toEqual([await jobs.ended(id)])
  })

  it('keeps the failure when a job is cancelled, and the job until it has ended', async () => {
    const { jobs, run, turnOf } = opened()
    const failed = run('publish', true, { key })
    await settled()
    turnOf(failed)?.fail(new DeskFailure(away))
    await jobs.ended(failed)
    const cancelled = run('publish', false, { key })
    await settled()
    jobs.cancel(cancelled)
    await settled()
    expect(jobs.recordOf('publish', key)).toMatchObject({ active: { id: cancelled }, last: { id: failed } })
    turnOf(cancelled)?.fail(new Error('Ended.'))
    await jobs.ended(cancelled)
    const last = { id: cancelled, state: { kind: 'cancelled' } }
    expect(jobs.recordOf('publish', key)).toMatchObject({ active: null, last, failure: away })
  })

  it('has nothing of a withdrawn job but its start, or the failure that the job would share', async () => {
    const { jobs, clock, run, stateOf, turnOf } = opened()
    const first = run('publish', true, { key })
    await settled()
    turnOf(first)?.end(made)
    await jobs.ended(first)
    await clock.move(5000)
    const withdrawn = run('publish', false, { key })
    await settled()
    jobs.withdraw('publish', key)
    const still = { active: null, last: { id: first }, failure: null, startedAt: clock.now() }
    expect(jobs.recordOf('publish', key)).toMatchObject(still)
    expect(stateOf(withdrawn)?.kind).toBe('running')
    turnOf(withdrawn)?.end(made)
    await jobs.ended(withdrawn)
    expect(jobs.recordOf('publish', key)).toMatchObject(still)
    const sharing = run('publish', true, { key })
    jobs.withdraw('publish', key, refused)
    const shared = { last: { id: sharing, state: { kind: 'failed' } }, failure: refused }
    expect(jobs.recordOf('publish', key)).toMatchObject(shared)
    expect(await jobs.ended(sharing)).toEqual({ kind: 'cancelled' })
    expect(jobs.recordOf('publish', key)).toMatchObject(shared)
    const forgotten = run('publish', true, { key })
    jobs.forget('publish', key)
    expect(await jobs.ended(forgotten)).toEqual({ kind: 'cancelled' })
    expect([jobs.recordOf('publish', key), jobs.recordsOf('publish')]).toEqual([null, []])
  })

  it('comes in the order of the ends', async () => {
    const { jobs, run, turnOf } = opened()
    const ids = ['a', 'b', 'c'].map((each) => run('export', true, { key: each }))
    await settled()
    for (const place of [1, 0]) turnOf(ids[place] as JobId)?.end(made)
    await settled()
    expect(jobs.recordsOf('export').map((record) => record.key)).toEqual(['c', 'b', 'a'])
  })
})

/** What the record of each key should have, by what happens to its jobs. */
class ExpectedRecords {
  readonly #newest = new Map<string, JobId>()
  readonly #last = new Map<string, { readonly id: JobId; readonly kind: JobState['kind'] }>()
  readonly #failing = new Set<string>()

  started(key: string, id: JobId): void {
    this.#newest.set(key, id)
  }

  ended({ id, state }: Job): void {
    for (const [key, newest] of this.#newest) if (newest === id) this.#end(key, id, state.kind)
  }

  left(key: string, how: 'withdraw' | 'share' | 'forget'): void {
    const id = this.#newest.get(key)
    if (id !== undefined && how === 'share') this.#end(key, id, 'failed')
    this.#newest.delete(key)
    if (how === 'forget') [this.#last, this.#failing].forEach((known) => known.delete(key))
  }

  of(key: string) {
    const { id = null, kind = null } = this.#last.get(key) ?? {}
    return [this.#newest.get(key) ?? null, id, kind, this.#failing.has(key)]
  }

  #end(key: string, id: JobId, kind: JobState['kind']): void {
    this.#newest.delete(key)
    this.#last.set(key, { id, kind })
    if (kind === 'failed') this.#failing.add(key)
    if (kind === 'done') this.#failing.delete(key)
  }
}

const kinds = ['export', 'publish'] as const
const keys = ['x', 'y'] as const
const ofKey = { kind: fc.constantFrom(...kinds), key: fc.constantFrom(...keys) }
const step = fc.oneof(
  fc.record({ does: fc.constant('run' as const), ...ofKey, heeds: fc.boolean() }),
  fc.record({ does: fc.constantFrom('withdraw', 'share', 'forget'), ...ofKey }),
  fc.record({
    does: fc.constantFrom('cancel', 'hold', 'resume', 'restart', 'dismiss', 'end', 'fail'),
    at: fc.integer({ min: 0, max: 5 }),
  }),
)

it('has the newest job and the last end of each key, whatever happens to the jobs of all', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { jobs, told, turns, run, turnOf } = opened()
      const ids: JobId[] = []
      const expected = new ExpectedRecords()
      const take = (each: (typeof steps)[number]) => {
        if ('at' in each) {
          const id = ids[each.at]
          if (id === undefined) return
          if (each.does === 'end') turnOf(id)?.end(made)
          else if (each.does === 'fail') turnOf(id)?.fail(new DeskFailure(away))
          else jobs[each.does](id)
        } else if (each.does === 'run') {
          ids.push(run(each.kind, each.heeds, { key: each.key }))
          expected.started(`${each.kind} ${each.key}`, ids.at(-1) as JobId)
        } else {
          expected.left(`${each.kind} ${each.key}`, each.does)
          if (each.does === 'forget') jobs.forget(each.kind, each.key)
          else jobs.withdraw(each.kind, each.key, each.does === 'share' ? away : null)
        }
      }
      for (const each of steps) {
        take(each)
        await settled()
        for (const job of told.splice(0)) if (isOver(job.state)) expected.ended(job)
        for (const kind of kinds)
          for (const key of keys) {
            const { active = null, last = null, failure = null } = jobs.recordOf(kind, key) ?? {}
            const recorded = [
              active?.id ?? null,
              last?.id ?? null,
              last?.state.kind ?? null,
              failure !== null,
            ]
            expect(recorded).toEqual(expected.of(`${kind} ${key}`))
          }
      }
      const stopped = jobs.stop()
      await settled()
      // What does not heed its signal ends by itself.
      for (const own of turns.values()) for (const { fail } of own) fail(new Error('Ended.'))
      await stopped
      expect(kinds.flatMap((kind) => jobs.recordsOf(kind)).filter(({ active }) => active)).toEqual([])
    }),
    { numRuns: runs(100, 5000), seed: 20261129 },
  )
})
