import { expect, it } from 'vitest'
import { runs } from '../../helpers/long.ts'
import { seed } from '../../helpers/properties.ts'
import { randomFrom } from '../../helpers/random.ts'
import { killAtMoments } from './killing.ts'
import { Profile } from './profile.ts'

const moments = runs(20, 200)

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
  runs(120_000, 900_000),
)
