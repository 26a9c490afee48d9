import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { keepTimeOfMachine } from '#test/helpers/day-of-tests.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import { endings } from './endings.ts'
import { killAtMoments, workToTheEnd } from './killing.ts'
import { Profile } from './profile.ts'
import { daysToSync, Oracle, SyncedProfile } from './synced.ts'

keepTimeOfMachine('the work is done by processes of their own')

const timeout = runs(180_000, 2_700_000)

describe.each(endings(10, 200))('$ending at $moments random moments', ({ ending, moments, place }) => {
  it(
    'of sync, each day that was said to be kept is the service’s, and sync goes on',
    async () => {
      const random = randomFrom(seed)
      const running = await runningSandbox()
      onTestFinished(() => running.close())
      const oracle = new Oracle(running)
      let { folder, lose } = place()
      let profile = new SyncedProfile(running, oracle, folder)
      let completed = 0
      const hits = await killAtMoments({
        ...{ worker: 'sync-work.ts', moments, random },
        ordersOf: () => profile.orders,
        check: async (said) => {
          lose()
          const days = await profile.check(said)
          expect(days).toBeLessThanOrEqual(daysToSync)
          if (days < daysToSync) return
          completed += 1
          ;({ folder, lose } = place())
          profile = new SyncedProfile(running, oracle, folder)
        },
      })
      expect(await profile.check(await workToTheEnd('sync-work.ts', profile.orders))).toBe(daysToSync)
      console.log(`sync, ${ending}: PROPERTY_SEED=${seed}`, hits, `${completed + 1} completed`)
    },
    timeout,
  )

  it.each(['compaction', 'restatement', 'publishing'] as const)(
    'of %s, nothing is half there, nothing kept is lost, and it goes on',
    async (kind) => {
      const random = randomFrom(seed)
      let at = place()
      const profileThere = () => {
        const share = join(at.folder, 'share')
        mkdirSync(share)
        syncFolder(at.folder)
        return new Profile(kind, join(at.folder, 'profile'), share)
      }
      let profile = profileThere()
      const hits = await killAtMoments({
        ...{ worker: 'keeping-work.ts', moments, random },
        ordersOf: () => {
          if (profile.isUsedUp) {
            at = place()
            profile = profileThere()
          }
          return profile.ordersFor(random)
        },
        check: (said) => {
          at.lose()
          return profile.check(said)
        },
      })
      console.log(`${kind}, ${ending}: PROPERTY_SEED=${seed}`, hits)
      if (kind === 'publishing') await profile.publish()
    },
    timeout,
  )
})
