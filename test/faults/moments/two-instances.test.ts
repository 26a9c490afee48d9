import { expect, it, onTestFinished } from 'vitest'
import { keepTimeOfMachine } from '#test/helpers/day-of-tests.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import { killAtMoments, workToTheEnd } from './killing.ts'
import { Profile } from './profile.ts'
import { daysToSync, Oracle, SyncedProfile } from './synced.ts'

keepTimeOfMachine('the work is done by processes of their own')

const moments = runs(6, 100)
const timeout = runs(180_000, 2_700_000)

// One profile is open once, unless its lock fails, as it may on a network share.

it(
  'two instances keep the same days of one profile: each is the service’s, and sync ends',
  async () => {
    const random = randomFrom(seed)
    const running = await runningSandbox()
    onTestFinished(() => running.close())
    const oracle = new Oracle(running)
    let profile = new SyncedProfile(running, oracle)
    const hits = await killAtMoments({
      ...{ worker: 'sync-work.ts', moments, random, together: 2 },
      ordersOf: () => profile.orders,
      check: async (said) => {
        if ((await profile.check(said)) === daysToSync) profile = new SyncedProfile(running, oracle)
      },
    })
    const [one, other] = await Promise.all([
      workToTheEnd('sync-work.ts', profile.orders),
      workToTheEnd('sync-work.ts', profile.orders),
    ])
    const refused = [...one.refused, ...other.refused]
    expect(await profile.check({ stored: [...one.stored, ...other.stored], refused })).toBe(daysToSync)
    console.log(`sync of two instances: PROPERTY_SEED=${seed}`, hits)
  },
  timeout,
)

it.each(['compaction', 'publishing'] as const)(
  'two instances work on %s of one profile: nothing is half there, and nothing kept is lost',
  async (kind) => {
    const random = randomFrom(seed)
    let profile = new Profile(kind)
    const hits = await killAtMoments({
      ...{ worker: 'keeping-work.ts', moments, random, together: 2 },
      ordersOf: (_, nth) => {
        if (nth === 0 && profile.isUsedUp) profile = new Profile(kind)
        return profile.ordersFor(random, nth, 2)
      },
      check: (said) => profile.check(said),
    })
    if (kind === 'publishing') await profile.publish()
    console.log(`${kind} of two instances: PROPERTY_SEED=${seed}`, hits)
  },
  timeout,
)
