import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listAccounts, putAccount, removeAccount } from '../../../src-main/store/accounts-repository.ts'
import { keepAnswer, newestAnswers, readAnswer } from '../../../src-main/store/answers-repository.ts'
import { readSettings, writeSettings } from '../../../src-main/store/settings-repository.ts'
import type { Instant } from '../../../src-shared/values/ids.ts'
import { account, answer, firstId, openFor, secondId, temporaryFolder } from './helpers.ts'

const emptyDatabase = () => openFor(temporaryFolder()).database
const key = answer().key

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

  it('take everything kept for them along when they go', () => {
    const database = databaseWithAccount()
    putAccount(database, account({ id: secondId }))
    keepAnswer(database, answer(), 2_000)
    keepAnswer(database, answer({ account: secondId }), 2_000)
    removeAccount(database, firstId)
    expect(database.rows('SELECT account FROM answers')).toEqual([{ account: secondId }])
  })

  it('leave nothing of themselves in the file', () => {
    const folder = temporaryFolder()
    const kept = () => readFileSync(join(folder, 'desk.sqlite'))
    const first = openFor(folder)
    putAccount(first.database, account({ name: 'Quillfeather' }))
    keepAnswer(first.database, answer({ text: 'Larkspur'.repeat(10_000) }), 2_000)
    keepAnswer(first.database, answer({ text: 'Marigold'.repeat(10_000) }), 3_000)
    first.close()
    expect(kept().includes('Marigold')).toBe(true)
    const second = openFor(folder)
    removeAccount(second.database, firstId)
    second.close()
    const left = ['Quillfeather', 'Larkspur', 'Marigold', firstId].filter((each) => kept().includes(each))
    expect({ left, files: readdirSync(folder) }).toEqual({ left: [], files: ['desk.sqlite'] })
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

describe('answers', () => {
  it('keep their text to the letter', () => {
    const database = databaseWithAccount()
    const text = '{"a":"é 中 \\u0000 %zz","b":"\u{1f600}"}'
    expect(keepAnswer(database, answer({ text }), 2_000)).toBe(true)
    expect(readAnswer(database, firstId, key)).toEqual({ key, fetchedAt: 1_000, text })
    expect(database.row('SELECT path, first_day, last_day FROM answers')).toEqual({
      path: 'direct/browsers',
      first_day: '2026-11-01',
      last_day: '2026-11-07',
    })
  })

  it('belong to one account', () => {
    const database = databaseWithAccount()
    keepAnswer(database, answer(), 2_000)
    expect(readAnswer(database, secondId, key)).toBeNull()
    expect(readAnswer(database, firstId, 'other')).toBeNull()
  })

  it('are replaced by newer ones, never by older ones', () => {
    const database = databaseWithAccount()
    const at = (time: number, text: string) => answer({ fetchedAt: time as Instant, text })
    keepAnswer(database, at(1_000, 'first'), 9_000)
    expect(keepAnswer(database, at(3_000, 'third'), 9_000)).toBe(true)
    expect(keepAnswer(database, at(2_000, 'second'), 9_000)).toBe(false)
    expect(readAnswer(database, firstId, key)?.text).toBe('third')
  })

  it('from a time to come give way, because the clock was set back', () => {
    const database = databaseWithAccount()
    keepAnswer(database, answer({ fetchedAt: 50_000 as Instant, text: 'tomorrow' }), 60_000)
    expect(keepAnswer(database, answer({ fetchedAt: 2_000 as Instant, text: 'today' }), 2_000)).toBe(true)
    expect(readAnswer(database, firstId, key)).toEqual({ key, fetchedAt: 2_000, text: 'today' })
  })

  it('of an account that has gone are not kept', () => {
    const database = emptyDatabase()
    expect(keepAnswer(database, answer(), 2_000)).toBe(false)
  })

  it('of one endpoint are listed newest first', () => {
    const database = databaseWithAccount()
    const page = (number: number) =>
      answer({
        key: `interface/instances?page=${number}`,
        path: 'interface/instances',
        range: null,
        fetchedAt: number as Instant,
      })
    for (const number of [2, 3, 1]) keepAnswer(database, page(number), 2_000)
    keepAnswer(database, answer(), 2_000)
    const keys = newestAnswers(database, firstId, 'interface/instances', 2).map((each) => each.key)
    expect(keys).toEqual(['interface/instances?page=3', 'interface/instances?page=2'])
  })
})

describe('readers and writers', () => {
  it('refuse each other’s statements', () => {
    const database = emptyDatabase()
    expect(() => database.rows(`DELETE FROM accounts RETURNING id`)).toThrow(TypeError)
    expect(() => database.write('SELECT 1')).toThrow(TypeError)
  })
})
