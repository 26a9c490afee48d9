import { expect, it } from 'vitest'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'
import { Lives } from './lives.ts'

/** More where the environment says so. */
const rounds = Number(process.env['RAW_LIVES'] ?? 20)
const reportsEach = 50

it(
  'announces every end of 1,000 reports once, whenever the app is killed, and nothing that did not end',
  async () => {
    console.log(`lives of raw reports: PROPERTY_SEED=${seed}, ${rounds} rounds of ${reportsEach} reports`)
    const seen = { kills: 0, sleeps: 0, jumpsOn: 0, jumpsBack: 0, rescues: 0, removed: 0, shown: 0 }
    for (let round = 0; round < rounds; round += 1) {
      const lives = new Lives(temporaryFolder(), randomFrom(seed + round))
      const wrong = await lives.run(reportsEach)
      expect(wrong, `round ${round}`).toEqual([])
      for (const name of Object.keys(seen) as (keyof typeof seen)[]) seen[name] += lives.seen[name]
    }
    console.log(`lives of raw reports: ${JSON.stringify(seen)}`)
    // It means something only if all of it happened, and often.
    expect(seen.kills).toBeGreaterThan(rounds * 3)
    expect(seen.shown).toBeGreaterThan(rounds * 10)
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(rounds / 4)
  },
  rounds * 6_000,
)
