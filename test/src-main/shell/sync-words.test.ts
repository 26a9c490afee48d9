import { expect, it } from 'vitest'
import { connectionAfter, syncWords } from '../../../src-main/shell/sync-words.ts'

it.each([
  ['unknown', 'Account Northwind'],
  ['online', 'Connected to Northwind'],
  ['offline', 'Offline: Northwind cannot be reached'],
  ['refused', 'Token refused by Northwind'],
  ['no-token', 'No token for Northwind'],
] as const)('says of a service that is %s no more than is known', (state, words) => {
  expect(syncWords({ state }, 'Northwind')).toBe(words)
  expect(syncWords({ state }, null)).toBe('No account yet')
})

it.each([
  [undefined, undefined],
  [null, 'online'],
  ['offline', 'offline'],
  ['refused-token', 'refused'],
  ['no-keychain', 'no-token'],
  ['server-trouble', undefined],
] as const)('knows of a service that was asked with %s', (kind, state) => {
  const failure = kind && { kind, message: 'It did not go well.' }
  expect(connectionAfter(failure)?.state).toBe(state)
})
