import { expect, it } from 'vitest'
import { readFeed } from '#main/updates/feed.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { feedText, maker, noon } from '../src-main/updates/maker.ts'
import { mutateText, mutateValue } from './mutate.ts'

it('feeds that are signed, whatever they say, are read as they should be or refused in words', () => {
  const random = randomFrom(seed)
  const by = maker()
  const sound: unknown = JSON.parse(feedText())
  const source = { address: 'https://downloads.example/desk/latest.json', key: by.publicKey }
  const reader = { source, running: '1.2.3', newest: null, now: noon }
  const seen = { read: 0, refused: 0 }
  for (let made = 0; made < runs(1000, 10_000); made += 1) {
    const value = mutateValue(sound, random)
    const text = random() < 0.7 ? JSON.stringify(value) : mutateText(JSON.stringify(sound), random)
    try {
      const { offer } = readFeed({ text, signature: by.sign(text) }, reader)
      seen.read += 1
      if (offer === null) continue
      expect(offer.version).toMatch(/^\d+\.\d+\.\d+$/)
      expect(new URL(offer.page).protocol).toBe('https:')
    } catch (error) {
      if (!(error instanceof DeskFailure)) throw error
      expect(error.failure.kind).toBe('malformed')
      seen.refused += 1
    }
  }
  expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(50)
}, 900_000)
