import { expect, it } from 'vitest'
import { versionAnswer } from '#main/shell/about.ts'
import { versionSaid } from '../../scripts/package-test/installed.mjs'

it('knows what the app answers when it is asked for its version', () => {
  expect(versionAnswer('0.3.0', 'a'.repeat(40), 'Electron 33.2.1, Node 20')).toMatch(versionSaid)
  expect(versionAnswer('0.3.0', null, 'Electron 33.2.1, Node 20')).not.toMatch(versionSaid)
})
