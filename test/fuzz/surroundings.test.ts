import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { expect, it } from 'vitest'
import { surroundings } from './surroundings.ts'

it('see what is written where nobody may, also what is gone again, and every host that is looked for', () => {
  const { path, contacts, check } = surroundings(['app/profile'])
  writeFileSync(path('app/profile/state.sqlite'), '')
  check([])
  mkdirSync(path('temporary/left'))
  rmdirSync(path('temporary/left'))
  expect(() => check([])).toThrow("[ 'temporary' ]")
  writeFileSync(path('app/profile/../../decoys/x.csv'), '')
  expect(() => check([])).toThrow("[ 'decoys', ")
  writeFileSync(path('app/profile/../decoys/x.csv'), '')
  expect(() => check([])).toThrow("[ 'app/decoys', ")
  connect({ host: '127.0.0.1', port: 9 }).on('error', () => undefined)
  connectSecurely({ host: '127.0.0.2', port: 9 }).on('error', () => undefined)
  expect([...contacts]).toEqual(['127.0.0.1:9', '127.0.0.2:9'])
})
