import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openHandle } from '#main/database/sqlite/database.ts'
import { placeFile } from '#main/database/sqlite/place-file.ts'
import { labelText } from '#shared/reports/rows.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { fixture, oldProfile } from './old-profile.ts'
import { expected, stateExpected, stateOf } from './taken-over.ts'
import { dataScopeOf, sessionFor, temporaryFolder } from './helpers.ts'

describe('a profile of version 0.1.0', () => {
  it('is taken over whole, and the old file stays', () => {
    const folder = oldProfile()
    const session = sessionFor(folder)
    expect(session.opening).toEqual({ kind: 'ready', news: null })
    expect(stateOf(session)).toEqual(stateExpected())
    expect(session.run('views/list', expected.service).map(({ name }) => name)).toEqual([
      ...['Other', 'Pinned é', 'Start'],
    ])
    session.close()
    expect(readFileSync(join(folder, 'desk.sqlite')).equals(fixture)).toBe(true)
    // Once: what is changed now is not undone by the old file.
    const again = sessionFor(folder)
    again.run('settings/write', { theme: 'light' })
    again.close()
    expect(sessionFor(folder).run('settings/read', undefined).theme).toBe('light')
  })

  it('that was not closed is taken over with what stands in its log', () => {
    const source = oldProfile()
    const old = openHandle(join(source, 'desk.sqlite'))
    old.exec(`PRAGMA journal_mode = WAL; UPDATE saved_views SET name = 'In the log' WHERE name = 'Other'`)
    const folder = temporaryFolder()
    for (const end of ['', '-wal'])
      copyFileSync(join(source, `desk.sqlite${end}`), join(folder, `desk.sqlite${end}`))
    old.close()
    const views = sessionFor(folder).run('views/list', expected.service)
    expect(views.map(({ name }) => name)).toEqual(['In the log', 'Pinned é', 'Start'])
  })

  it('gives its answers, to the letter', () => {
    const folder = oldProfile()
    const old = openHandle(join(folder, 'desk.sqlite'), { readonly: true })
    const answers = old.prepare<[], { account: AccountId; key: string; fetched_at: number; text: string }>(
      'SELECT account, key, fetched_at, text FROM answers',
    )
    const all = answers.all()
    old.close()
    expect(all).toHaveLength(4)
    const session = sessionFor(folder)
    for (const { account, key, fetched_at, text } of all) {
      const found = session.run('answers/read', { owner: dataScopeOf(account), key })
      expect(found).toEqual({ key, fetchedAt: fetched_at, text, madeOf: '' })
    }
  })

  it('gives its tables a few at a time, and is gone with the last of them', () => {
    const folder = oldProfile()
    const session = sessionFor(folder)
    const seen: unknown[] = []
    const labels: string[] = []
    for (let turns = 0; turns < 100; turns += 1) {
      const tables = session.run('upgrade/tables', { max: 4 })
      if (tables.length === 0) break
      for (const { owner, subject, range, fetchedAt, rows: pages } of tables) {
        const rows = pages?.flat() ?? []
        if (range.start === '2026-10-05') labels.push(...rows.map(({ label }) => labelText(label)))
        const whole = pages !== null
        seen.push({ account: owner, subject, range, whole, fetchedAt, rows: rows.length })
      }
      session.run('upgrade/done', { ids: tables.map(({ id }) => id) })
    }
    const said = expected.tables.flatMap(({ account, subject, blocks }) =>
      blocks.map(({ range, whole, fetchedAt, rows }) => ({
        account,
        subject,
        range,
        whole,
        fetchedAt,
        rows,
      })),
    )
    expect(seen).toEqual(expect.arrayContaining(said))
    expect(labels).toEqual(expected.given.odd.map(({ label }) => label.text))
    expect(readdirSync(folder).filter((name) => name.startsWith('desk'))).toEqual([])
    expect(session.run('upgrade/tables', { max: 4 })).toEqual([])
    // Answers were taken over before the file went.
    expect(
      session.run('answers/newest', {
        owner: dataScopeOf(expected.service),
        path: 'interface/instances',
        max: 9,
      }),
    ).toHaveLength(1)
  })

  it('goes on after it was broken off between two tables', () => {
    const folder = oldProfile()
    const first = sessionFor(folder)
    const tables = first.run('upgrade/tables', { max: 5 })
    first.run('upgrade/done', { ids: tables.slice(0, 2).map(({ id }) => id) })
    first.close()
    const second = sessionFor(folder).run('upgrade/tables', { max: 3 })
    expect(second.map(({ id }) => id)).toEqual(tables.slice(2).map(({ id }) => id))
  })

  it('whose file is damaged is set aside and said, and the desk begins empty', () => {
    const folder = temporaryFolder()
    const bytes = Buffer.from(fixture)
    writeFileSync(join(folder, 'desk.sqlite'), bytes.fill(0xa5, 4096, 40_000))
    const session = sessionFor(folder)
    expect(session.opening).toMatchObject({ kind: 'ready', news: { kind: 'old-damaged' } })
    expect(session.run('accounts/list', undefined)).toEqual([])
    expect(readdirSync(folder).some((name) => name.startsWith('desk.damaged-'))).toBe(true)
  })

  it('of a version that was not released is left alone, and said', () => {
    const folder = oldProfile()
    const old = openHandle(join(folder, 'desk.sqlite'))
    old.pragma('user_version = 7')
    old.close()
    const before = readFileSync(join(folder, 'desk.sqlite'))
    const session = sessionFor(folder)
    expect(session.opening).toMatchObject({ kind: 'ready', news: { kind: 'old-left' } })
    expect(session.run('upgrade/tables', { max: 4 })).toEqual([])
    session.close()
    expect(readFileSync(join(folder, 'desk.sqlite')).equals(before)).toBe(true)
  })

  it('that was broken off while it was taken over is taken over again', () => {
    const folder = oldProfile()
    writeFileSync(join(folder, 'state.being-made.sqlite'), 'half')
    writeFileSync(join(folder, 'state.being-made.sqlite-wal'), 'half')
    const session = sessionFor(folder)
    expect(stateOf(session)).toEqual(stateExpected())
    session.close()
    expect(readdirSync(folder).filter((name) => name.includes('being-made'))).toEqual([])
  })
})

it('a file takes its place without the log of the one before', () => {
  const folder = temporaryFolder()
  const [made, file] = [join(folder, 'made.sqlite'), join(folder, 'file.sqlite')]
  copyFileSync(join(oldProfile(), 'desk.sqlite'), made)
  writeFileSync(`${file}-wal`, 'of another')
  placeFile(made, file)
  expect(readdirSync(folder)).toEqual(['file.sqlite'])
})
