import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cacheFile, cacheSchema } from '#main/database/cache/cache-schema.ts'
import { openHandle } from '#main/database/sqlite/database.ts'
import { placeFile } from '#main/database/sqlite/open-file.ts'
import { checkBackup, chosenFile } from '#main/database/state/moving.ts'
import { stateFile, stateSchema } from '#main/database/state/schema.ts'
import { answer, dataScopeOf, openCacheFor, openFor, sessionFor, temporaryFolder } from './helpers.ts'
import { expected, stateExpected, stateOf, tablesExpected, tablesIn } from './expected-profile.ts'
import { oldProfile } from './old-profile.ts'

function age(file: string, version: number) {
  const handle = openHandle(file)
  handle.pragma(`user_version = ${version}`)
  handle.close()
}

describe('a profile of the version before', () => {
  it('opens with everything in place', () => {
    const folder = oldProfile()
    const session = sessionFor(folder)
    expect(session.opening).toEqual({ kind: 'ready', news: null })
    expect(session.run('cache/state', undefined)).toBe('ready')
    expect(stateOf(session)).toEqual(stateExpected())
    const dataScope = dataScopeOf(expected.service)
    const path = 'interface/instances'
    expect(session.run('answers/newest', { dataScope, path, max: 9 }).length).toBeGreaterThan(0)
    session.close()
    expect(tablesIn(folder)).toEqual(tablesExpected())
  })

  it('has the form of a new one', () => {
    const formOf = (file: string) => {
      const handle = openHandle(file, { readonly: true })
      const form = handle
        .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
        .all()
      handle.close()
      return form
    }
    const [old, made] = [oldProfile(), temporaryFolder()]
    for (const folder of [old, made]) {
      openFor(folder).close()
      openCacheFor(folder).close()
    }
    for (const file of [stateFile, cacheFile]) expect(formOf(file(old))).toEqual(formOf(file(made)))
  })

  it('gives a state that is restored as a backup', () => {
    const folder = temporaryFolder()
    writeFileSync(chosenFile(folder), readFileSync(stateFile(oldProfile())))
    const session = sessionFor(folder)
    expect(checkBackup(folder, 0).accounts).toHaveLength(2)
    session.run('backup/agree', undefined)
    session.close()
    const next = sessionFor(folder)
    expect(next.opening).toMatchObject({ kind: 'ready', news: { kind: 'moved' } })
    expect(next.run('accounts/list', undefined).map(({ id }) => id)).toContain(expected.service)
  })
})

describe('a profile of a version that is not read any more', () => {
  it('has its state set aside and said, and the desk begins empty', () => {
    const folder = oldProfile()
    age(stateFile(folder), stateSchema.base.version - 1)
    const session = sessionFor(folder)
    expect(session.opening).toMatchObject({
      kind: 'ready',
      news: { kind: 'restored', movedTo: expect.stringMatching(/^state\.damaged-/), backup: null },
    })
    expect(session.run('accounts/list', undefined)).toEqual([])
    expect(readdirSync(folder).some((name) => name.startsWith('state.damaged-'))).toBe(true)
  })

  it('has its cache made anew', () => {
    const folder = oldProfile()
    age(cacheFile(folder), cacheSchema.base.version - 1)
    const session = sessionFor(folder)
    const [dataScope] = session.run('data-scopes/list', undefined)
    if (!dataScope) throw new TypeError('It has accounts')
    expect(session.run('answers/keep', answer({ dataScope: dataScope.id, term: dataScope.term }))).toBe(true)
    expect(stateOf(session)).toEqual(stateExpected())
    session.close()
    expect(tablesIn(folder)).toEqual([])
  })

  it('gives no backup', () => {
    const folder = temporaryFolder()
    writeFileSync(chosenFile(folder), readFileSync(stateFile(oldProfile())))
    age(chosenFile(folder), stateSchema.base.version - 1)
    expect(() => checkBackup(folder, 0)).toThrow('no backup of Traffic Desk')
  })
})

it('a file takes its place without the log of the one before', () => {
  const folder = temporaryFolder()
  const [made, file] = [join(folder, 'made.sqlite'), join(folder, 'file.sqlite')]
  writeFileSync(made, readFileSync(stateFile(oldProfile())))
  writeFileSync(`${file}-wal`, 'of another')
  placeFile(made, file)
  expect(readdirSync(folder)).toEqual(['file.sqlite'])
})
