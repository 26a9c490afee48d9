import { expect, it } from 'vitest'
import { stateFile } from '#main/database/state/schema.ts'
import { openHandle } from '#main/database/sqlite/database.ts'
import { expectInPlace } from '../../scripts/package-test/in-place.mjs'
import { sessionFor } from '../src-main/database/helpers.ts'
import { oldProfile } from '../src-main/database/old-profile.ts'

it('finds what 0.2.0 stored in place, and names what is not', () => {
  const profile = oldProfile()
  sessionFor(profile).close()
  expectInPlace(profile)
  const state = openHandle(stateFile(profile))
  state.exec('DELETE FROM saved_views')
  state.close()
  expect(() => expectInPlace(profile)).toThrow('views changed')
})
