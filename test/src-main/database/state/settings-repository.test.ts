import { describe, expect, it } from 'vitest'
import { removeAccount } from '#main/database/state/data-scopes-repository.ts'
import { putAccount } from '#main/database/state/accounts-repository.ts'
import {
  readLayouts,
  readSettings,
  writeLayout,
  writeSettings,
} from '#main/database/state/settings-repository.ts'
import { usualSettings } from '#shared/app/settings.ts'
import { account, firstId, openFor, secondId, temporaryFolder } from '../helpers.ts'

const emptyDatabase = () => openFor(temporaryFolder()).database

describe('settings on the disk', () => {
  it('are each as usual where they cannot be read, and the others are as they are', () => {
    const database = emptyDatabase()
    writeSettings(database, { ...usualSettings, activeAccount: firstId, theme: 'dark', storageLimit: 250 })
    const broken = [
      ['density', '{broken'],
      ['formats', '"xx-XX"'],
      ['downloadFolder', '""'],
      ['startAtLogin', '"true"'],
      ['closeToTray', '1'],
      ['keptLimit', '3'],
    ] as const
    for (const [key, value] of broken)
      database.write('UPDATE settings SET value = ? WHERE key = ?', value, key)
    expect(readSettings(database)).toEqual({
      ...usualSettings,
      activeAccount: firstId,
      lastView: null,
      theme: 'dark',
    })
  })

  it('of another version, or of no meaning at all, are passed over', () => {
    const database = emptyDatabase()
    database.write(`INSERT INTO settings VALUES ('colour', '"red"'), ('__proto__', '{"theme":"dark"}')`)
    expect(readSettings(database)).toEqual({ ...usualSettings, activeAccount: null, lastView: null })
  })
})

describe('names of rule sets', () => {
  it('go with their account, and those of others stay', () => {
    const database = emptyDatabase()
    putAccount(database, account())
    const other = { account: secondId, code: 'UE', name: 'User agents' }
    writeSettings(database, { ruleNames: [{ ...other, account: firstId }, other] })
    removeAccount(database, firstId)
    expect(readSettings(database).ruleNames).toEqual([other])
  })
})

describe('layouts on the disk', () => {
  it.each([
    '{broken',
    'null',
    '[]',
    '{"order":[],"hidden":[]}',
    '{"order":[1],"hidden":[],"widths":{}}',
    '{"order":[],"hidden":[],"widths":{"Browser":1e9}}',
    '{"order":[],"hidden":[],"widths":{},"more":1}',
  ])('are none where they cannot be read: %s', (value) => {
    const database = emptyDatabase()
    writeLayout(database, 'script/browsers', { order: ['Good'], hidden: [], widths: {} })
    database.write('UPDATE settings SET value = ?', value)
    expect(readLayouts(database)).toEqual({})
  })
})
