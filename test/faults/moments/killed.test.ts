import { expect, it, onTestFinished } from 'vitest'
import { runs } from '../../helpers/long.ts'
import { seed } from '../../helpers/properties.ts'
import { randomFrom } from '../../helpers/random.ts'
import { runningSandbox } from '../../helpers/running-sandbox.ts'
import { killAtMoments, workToTheEnd } from './killing.ts'
import { Profile } from './profile.ts'
import { daysToSync, Oracle, SyncedProfile } from './synced.ts'

const moments = runs(20, 200)
const timeout = runs(180_000, 900_000)

it(
  `killed at ${moments} random moments of sync, each day that was said to be kept is the service’s, and sync goes on`,
  async () => {
    const random = randomFrom(seed)
    const running = await runningSandbox()
    onTestFinished(() => running.close())
    const oracle = new Oracle(running)
    let profile = new SyncedProfile(running, oracle)
    let completed = 0
    const hits = await killAtMoments({
      ...{ worker: 'sync-work.ts', moments, random },
      ordersOf: () => profile.orders,
      check: async (said) => {
        const days = await profile.check(said)
        expect(days).toBeLessThanOrEqual(daysToSync)
        if (days < daysToSync) return
        completed += 1
        profile = new SyncedProfile(running, oracle)
      },
    })
    expect(await profile.check(await workToTheEnd('sync-work.ts', profile.orders))).toBe(daysToSync)
    console.log(`sync: PROPERTY_SEED=${seed}`, hits, `${completed + 1} completed`)
  },
  timeout,
)

it.each(['compaction', 'restatement', 'publishing'] as const)(
  `killed at ${moments} random moments of %s, nothing is half there, nothing kept is lost, and it goes on`,
  async (kind) => {
    const random = randomFrom(seed)
    let profile = new Profile(kind)
    const hits = await killAtMoments({
      ...{ worker: 'keeping-work.ts', moments, random },
      ordersOf: () => {
        if (profile.isUsedUp) profile = new Profile(kind)
        return profile.ordersFor(random)
      },
      check: (said) => profile.check(said),
    })
    console.log(`${kind}: PROPERTY_SEED=${seed}`, hits)
    if (kind === 'publishing') await profile.publish()
  },
  timeout,
)
