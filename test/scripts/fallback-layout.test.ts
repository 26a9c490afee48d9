import { describe, expect, it } from 'vitest'
import { placeOf } from '../../scripts/runtime/fallback-layout.mjs'

describe('placeOf', () => {
  it.each([
    ['Cypress/Cypress', 'dist/electron'],
    ['Cypress/locales/en-US.pak', 'dist/locales/en-US.pak'],
    ['Cypress/LICENSE.electron.txt', 'dist/LICENSE'],
    [
      'Cypress/resources/app/node_modules/better-sqlite3/build/Release/better_sqlite3.node',
      'modules/node_modules/better-sqlite3/build/Release/better_sqlite3.node',
    ],
    ['Cypress/resources/app/node_modules/bindings/bindings.js', 'modules/node_modules/bindings/bindings.js'],
  ])('puts %s at %s', (entry, place) => {
    expect(placeOf(entry)).toBe(place)
  })

  it.each([
    'Cypress/',
    'Cypress/locales/',
    'Cypress/browser_v8_context_snapshot.bin',
    'Cypress/resources/app/index.js',
    'Cypress/resources/app/node_modules/better-sqlite3/node_modules/node-abi/index.js',
    'Cypress/../../etc/passwd',
    'elsewhere/file',
  ])('leaves out %s', (entry) => {
    expect(placeOf(entry)).toBeUndefined()
  })
})
