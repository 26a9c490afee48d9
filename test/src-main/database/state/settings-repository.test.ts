import { describe, expect, it } from 'vitest'
import { removeAccount } from '#main/database/state/data-scopes-repository.ts'
import { putAccount } from '#main/database/state/accounts-repository.ts'
import {
  readLayouts,
  readSettings,
  settingsOperations,
  writeLayout,
  writePublishing,
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
      todaySeenAt: null,
      theme: 'dark',
    })
  })

  it('of another version, or of no meaning at all, are passed over', () => {
    const database = emptyDatabase()
    database.write(`INSERT INTO settings VALUES ('colour', '"red"'), ('__proto__', '{"theme":"dark"}')`)
    expect(readSettings(database)).toEqual({
      ...usualSettings,
      ...{ activeAccount: null, lastView: null, todaySeenAt: null },
    })
  })
})

it('stores what was published as it has always been', () => {
  const database = emptyDatabase()
  const last = { files: 3, bytes: 70, leftOut: 1 }
  const stored = { folder: '/team', directory: 'account=Shop', last: { at: 5, ...last } }
  database.write('INSERT INTO settings VALUES (?, ?)', ...[`publishing:${firstId}`, JSON.stringify(stored)])
  const read = settingsOperations['publishing/read'](database, firstId)
  expect(read).toEqual({ ...stored, last: { publishedAt: 5, ...last } })
  writePublishing(database, secondId, read)
  const [row] = database.rows('SELECT value FROM settings WHERE key = ?', `publishing:${secondId}`)
  expect(JSON.parse(String(row?.['value']))).toEqual(stored)
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
    writeLayout(database, { report: 'script/browsers', layout: { order: ['Good'], hidden: [], widths: {} } })
    database.write('UPDATE settings SET value = ?', value)
    expect(readLayouts(database)).toEqual({})
  })
})
