import { expect, it } from 'vitest'
import { connectionAfter, isAwayAfter } from '#shared/accounts/account.ts'

it.each([
  [undefined, undefined],
  [null, 'online'],
  ['offline', 'offline'],
  ['refused-token', 'refused'],
  ['no-keychain', 'no-token'],
  ['proxy-sign-in', 'proxy-sign-in'],
  ['server-trouble', undefined],
] as const)('knows of a service that was asked with %s', (kind, state) => {
  const failure = kind && { kind, message: 'It did not go well.' }
  expect(connectionAfter(failure)?.kind).toBe(state)
})

it.each([
  [undefined, false],
  [null, false],
  ['offline', true],
  ['resting', true],
  ['no-keychain', true],
  ['server-trouble', false],
] as const)('knows whether the service cannot be asked after %s', (kind, isAway) => {
  expect(isAwayAfter(kind && { kind, message: 'It did not go well.' })).toBe(isAway)
})
