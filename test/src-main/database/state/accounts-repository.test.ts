import { describe, expect, it } from 'vitest'
import { listAccounts, putAccount } from '#main/database/state/accounts-repository.ts'
import { readSettings, writeSettings } from '#main/database/state/settings-repository.ts'
import { account, firstId, openFor, secondId, temporaryFolder } from '../helpers.ts'

const emptyDatabase = () => openFor(temporaryFolder()).database

function databaseWithAccount() {
  const database = emptyDatabase()
  putAccount(database, account())
  return database
}

describe('accounts', () => {
  it('come back as they were put, the oldest first', () => {
    const database = emptyDatabase()
    const second = account({
      id: secondId,
      name: 'B "é 中',
      kind: 'sample',
      address: '',
      bodyEncoding: 'form',
    })
    putAccount(database, account())
    putAccount(database, second)
    putAccount(database, account({ name: 'Renamed', dayZone: 'Europe/Berlin' }))
    expect(listAccounts(database)).toEqual([account({ name: 'Renamed', dayZone: 'Europe/Berlin' }), second])
  })

  it('pass over a row that is no account, and mend what has a default', () => {
    const database = databaseWithAccount()
    database.write(`UPDATE accounts SET day_zone = 'Nowhere/At_All', body_encoding = 'xml'`)
    database.write(
      `INSERT INTO accounts (id, name, kind, address, body_encoding, day_zone)
       VALUES ('not an id', 'x', 'service', 'x', 'json', 'UTC')`,
    )
    expect(listAccounts(database)).toEqual([account()])
  })
})

describe('settings', () => {
  it('are null until set, and changed one by one', () => {
    const database = emptyDatabase()
    expect(readSettings(database)).toMatchObject({ activeAccount: null, lastView: null })
    writeSettings(database, { activeAccount: firstId })
    writeSettings(database, { lastView: '/reports?family=direct' })
    expect(readSettings(database)).toMatchObject({
      activeAccount: firstId,
      lastView: '/reports?family=direct',
    })
    writeSettings(database, { activeAccount: null })
    expect(readSettings(database).activeAccount).toBeNull()
  })

  it('that cannot be read count as not set', () => {
    const database = emptyDatabase()
    database.write(
      `INSERT INTO settings VALUES ('lastView', '{broken'), ('activeAccount', '7'), ('other', '1')`,
    )
    expect(readSettings(database)).toMatchObject({ activeAccount: null, lastView: null })
  })
})

describe('readers and writers', () => {
  it('refuse each other’s statements', () => {
    const database = emptyDatabase()
    expect(() => database.rows(`DELETE FROM accounts RETURNING id`)).toThrow(TypeError)
    expect(() => database.write('SELECT 1')).toThrow(TypeError)
  })
})
