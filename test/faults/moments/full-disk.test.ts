import { rmSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { keepTimeOfMachine } from '#test/helpers/day-of-tests.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import { fillUp, tinyDisk, whyNoTinyDisk } from '../tiny-disk.ts'
import { killAtMoments, workToTheEnd } from './killing.ts'
import { Profile } from './profile.ts'
import { daysToSync, Oracle, SyncedProfile } from './synced.ts'

keepTimeOfMachine('the work is done by processes of their own')

const why = whyNoTinyDisk()
const moments = runs(5, 50)
const timeout = runs(180_000, 2_700_000)
/** In kibibytes. */
const size = 32_768

describe.skipIf(why !== null)(`a disk that is full at ${moments} random moments of`, () => {
  it(
    'sync: nothing that was kept is lost, and sync ends once there is room',
    async () => {
      const random = randomFrom(seed)
      const running = await runningSandbox()
      onTestFinished(() => running.close())
      const oracle = new Oracle(running)
      const begin = () => new SyncedProfile(running, oracle, tinyDisk(size))
      let profile = begin()
      let filler = ''
      let refused = 0
      const hits = await killAtMoments({
        ...{ worker: 'sync-work.ts', moments, random },
        ordersOf: () => profile.orders,
        meanwhile: () => (filler = fillUp(profile.folder)),
        check: async (said) => {
          rmSync(filler, { force: true })
          refused += said.refused.length
          if ((await profile.check(said)) === daysToSync) profile = begin()
        },
      })
      expect(await profile.check(await workToTheEnd('sync-work.ts', profile.orders))).toBe(daysToSync)
      console.log(`sync on a full disk: PROPERTY_SEED=${seed}`, hits, { refused })
    },
    timeout,
  )

  it.each(['compaction', 'restatement', 'publishing'] as const)(
    '%s: nothing that was kept is lost, and it goes on once there is room',
    async (kind) => {
      const random = randomFrom(seed)
      const begin = () => new Profile(kind, tinyDisk(size), tinyDisk(size))
      let profile = begin()
      let filler = ''
      let refused = 0
      const hits = await killAtMoments({
        ...{ worker: 'keeping-work.ts', moments, random },
        ordersOf: () => {
          if (profile.isUsedUp) profile = begin()
          return profile.ordersFor(random)
        },
        meanwhile: () => (filler = fillUp(kind === 'publishing' ? profile.share : profile.folder)),
        check: async (said) => {
          rmSync(filler, { force: true })
          refused += said.refused.length
          await profile.check(said)
        },
      })
      if (kind === 'publishing') await profile.publish()
      console.log(`${kind} on a full disk: PROPERTY_SEED=${seed}`, hits, { refused })
    },
    timeout,
  )
})
