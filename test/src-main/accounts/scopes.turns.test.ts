import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { serviceInProcess } from '#test/helpers/service-in-process.ts'
import { LifeUnderTurns, roomFor } from './turns-harness.ts'
import type { Step } from './turns-harness.ts'

const service = serviceInProcess(7, day('2026-11-20'))
// In memory, where there is such a folder: what a disk takes to be sure is five times as much as all the rest.
const memory = '/dev/shm'
const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'traffic-desk-scopes-'))
const room = roomFor(folder, service)
afterAll(async () => {
  await room.end()
  rmSync(folder, { recursive: true, force: true })
})

const scopes: readonly (readonly InstanceId[])[] = [
  ['4101', '4189'],
  ['4101', '4117'],
  ['4117', '4101', '4123'],
].map((ids) => ids as InstanceId[])

const turns = fc.array(
  fc.record({ requests: fc.integer({ min: 1, max: 30 }), instances: fc.constantFrom(...scopes) }),
  { minLength: 1, maxLength: 6 },
)
const days = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 2 }))
  .map(([first, more]) => ({
    start: day(`2026-11-0${first}`),
    end: day(`2026-11-0${first + more}`),
  }))
const of = <K extends Step['kind']>(kind: K) => fc.record({ kind: fc.constant(kind), range: days })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: of('table') },
  { weight: 2, arbitrary: of('page') },
  { weight: 2, arbitrary: of('overview') },
  { weight: 2, arbitrary: of('keep whole') },
  { weight: 2, arbitrary: of('compose') },
  { weight: 2, arbitrary: of('refresh') },
  { weight: 1, arbitrary: of('change') },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ kind: fc.constant('export' as const), range: days, format: fc.constantFrom('csv', 'json') },
      ...{ of: fc.constantFrom('devices', 'sources', 'a page', 'Overview'), compared: fc.boolean() },
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('look' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('later' as const), seconds: fc.constantFrom(20, 61, 400) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
)
/** Steps of one batch go on at the same time. */
const life = fc.array(fc.array(step, { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 7 })

it('every figure is the sum of days of one scope, whenever the token comes to see others', async () => {
  const numRuns = runs(500, 20_000)
  console.log(`scopes of a token: PROPERTY_SEED=${seed}, ${numRuns} runs`)
  await fc.assert(
    fc.asyncProperty(turns, life, async (taken, batches) => {
      service.take(taken)
      const living = await LifeUnderTurns.begin(room, scopes)
      try {
        for (const batch of batches) await living.take(batch)
        await living.checkStored()
      } finally {
        await living.end()
      }
      expect(living.shown).toBeGreaterThanOrEqual(0)
    }),
    { seed, numRuns },
  )
}, 9_000_000)
