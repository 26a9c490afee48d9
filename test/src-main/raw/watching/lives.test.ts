import { expect, it } from 'vitest'
import { seed } from '../../../helpers/properties.ts'
import { randomFrom } from '../../../helpers/random.ts'
import { localStore, temporaryFolder } from '../../store/helpers.ts'
import { Lives } from './lives.ts'

const rounds = 20
const reportsEach = 50

it('announces every end of 1,000 reports once, whenever the app is killed, and nothing that did not end', async () => {
  console.log(`lives of raw reports: PROPERTY_SEED=${seed}, ${rounds} rounds of ${reportsEach} reports`)
  let kills = 0
  for (let round = 0; round < rounds; round += 1) {
    const lives = new Lives(localStore(), temporaryFolder(), randomFrom(seed + round))
    const wrong = await lives.run(reportsEach)
    expect(wrong, `round ${round}`).toEqual([])
    kills += lives.kills
  }
  // It means something only if the app was killed often.
  console.log(`lives of raw reports: killed ${kills} times`)
  expect(kills).toBeGreaterThan(rounds * 3)
}, 60_000)
