import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { openSession } from '../../src-main/database/store-session.ts'
import {
  stateExpected,
  stateOf,
  tablesExpected,
  tablesIn,
} from '../../test/src-main/database/expected-profile.ts'

/** @param {unknown} one @param {unknown} other @param {string} what */
export function same(one, other, what) {
  if (!isDeepStrictEqual(one, other)) throw new Error(`${what}: ${JSON.stringify([one, other])}`)
}

/** What 0.2.0 stored and stays as it was, whatever the app does while it runs. */
const keptParts = /** @type {const} */ ([
  ...['accounts', 'settings', 'layout', 'views', 'templates', 'known', 'page', 'downloads'],
])

/**
 * Compares what lies in the profile of an app that was ended with what 0.2.0 said of its own.
 *
 * @param {string} profile
 */
export function expectInPlace(profile) {
  const copy = mkdtempSync(join(tmpdir(), 'traffic-desk-in-place-'))
  try {
    for (const file of ['state.sqlite', 'cache.sqlite']) cpSync(join(profile, file), join(copy, file))
    same(tablesIn(copy), tablesExpected(), 'other tables are stored')
    const session = openSession(copy)
    const [is, was] = [stateOf(session), stateExpected()]
    session.close()
    for (const what of keptParts) same(is[what], was[what], `${what} changed`)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
