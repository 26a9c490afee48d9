import { describe, expect, it } from 'vitest'
import type { EarlierAccount } from '#shared/accounts/account.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { AlertEntry, AlertId } from '#shared/watch/alerts.ts'
import { account, firstId, secondId } from '../../database/helpers.ts'
import { alert, alertEntry, alertIdOf } from '../../database/state/watch.ts'
import { dayZone, found, openFindings } from './open-findings.ts'

const earlierId = '55555555-5555-8555-8555-555555555555' as AccountId
const earlier: EarlierAccount = { ...account(), id: earlierId, kind: 'earlier', account: firstId }

describe('alerts', () => {
  it('are added, changed and removed, and each is told', async () => {
    const { findings, store, changed } = await openFindings()
    const view = '#/reports/script/sources?period=last-7-days'
    const added = await findings.addAlert({ account: secondId, entry: alertEntry({ view }) })
    expect(added).toEqual({ ...alertEntry(), id: added.id, createdAt: added.createdAt })
    const entry = alertEntry({ telling: 'morning' })
    const { id } = added
    expect(await findings.changeAlert({ account: secondId, id, entry })).toEqual({ ...added, ...entry })
    expect(await store.run('alerts/list', secondId)).toContainEqual({ ...added, ...entry })
    expect(await findings.removeAlert({ account: secondId, id })).toEqual({ ...added, ...entry })
    expect(await store.run('alerts/list', secondId)).toEqual([alert(2, { telling: 'morning' })])
    // What it found may not be watched any more.
    const both = [`alerts ${secondId}`, `findings ${secondId}`]
    expect(changed).toEqual([`alerts ${secondId}`, ...both, ...both])
  })

  it('are refused in words about a field, and nothing is told', async () => {
    const { findings, changed } = await openFindings()
    const refusedBy = async (changes: Partial<AlertEntry>) =>
      await findings
        .addAlert({ account: firstId, entry: alertEntry(changes) })
        .catch(({ failure }) => failure)
    expect(await refusedBy({ view: '#/settings' })).toMatchObject({ kind: 'invalid', field: 'view' })
    expect(await refusedBy({ view: '#/overview', row: 'a' })).toMatchObject({ kind: 'invalid', field: 'row' })
    const gone = { account: firstId, id: alertIdOf(9) }
    await expect(findings.changeAlert({ ...gone, entry: alertEntry() })).rejects.toThrow('was deleted')
    await expect(findings.removeAlert(gone)).rejects.toThrow('was deleted')
    expect(changed).toEqual([])
  })

  it('belong to the account, also when they are made over its earlier figures', async () => {
    const { findings, store, changed, kept } = await openFindings()
    kept.accounts = [...kept.accounts, earlier]
    const { id } = await findings.addAlert({ account: earlierId, entry: alertEntry() })
    expect((await store.run('alerts/list', firstId)).map((each) => each.id)).toContain(id)
    expect(changed).toEqual([`alerts ${firstId}`])
  })
})

describe('findings', () => {
  it('are those of all accounts, and counted as long as they are fresh', async () => {
    const { findings, find, clock } = await openFindings()
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((key) => found(clock, key))
    if (!a || !b || !c || !d) return expect.fail()
    await find('first', a, b, c)
    await find('second', d)
    const list = () => findings.list({ others: 10, ids: [] })
    expect((await list()).findings.map(({ id }) => id)).toEqual([d.id, c.id, b.id, a.id])
    expect(await list()).toMatchObject({ fresh: 4, falseAlarms: { wrong: 0, judged: 0 } })
    expect(await findings.fresh(undefined)).toEqual({ count: 4, newest: { id: d.id, account: secondId } })

    await findings.see({ ids: [a.id] })
    await findings.dismiss({ id: b.id, reason: 'wrong' })
    const until = addDays(day('2026-11-20'), 3)
    const row = { kind: 'row', alert: alertIdOf(1), row: 'c' } as const
    await findings.addMute({ account: firstId, subject: row, until })
    expect(await list()).toMatchObject({ fresh: 1, falseAlarms: { wrong: 1, judged: 2 } })
    expect((await findings.fresh(undefined)).count).toBe(1)
    const own = [
      { id: c.id, mutedUntil: until },
      { id: b.id, dismissed: 'wrong', mutedUntil: null },
      { id: a.id, seen: true },
    ]
    expect((await list()).findings).toMatchObject([{ id: d.id, mutedUntil: null }, ...own])
    expect(await findings.since({ account: firstId, day: until })).toMatchObject(own)
    // The mute is over, and the last 90 days know nothing of them any more.
    await clock.move(91 * 86_400_000)
    expect(await list()).toMatchObject({ fresh: 2, falseAlarms: { wrong: 0, judged: 0 } })
    expect(await findings.fresh(undefined)).toEqual({ count: 2, newest: { id: d.id, account: secondId } })
  })

  it('say which account changed, once', async () => {
    const { findings, find, clock, changed } = await openFindings()
    const [a, b] = [found(clock, 'a'), found(clock, 'b')]
    await find('first', a)
    await find('second', b)
    changed.length = 0
    await findings.see({ ids: [a.id, b.id] })
    await findings.see({ ids: [a.id, b.id] })
    await findings.dismiss({ id: b.id, reason: 'known' })
    expect(changed).toEqual([firstId, secondId, secondId].map((id) => `findings ${id}`))
  })

  it('of a removed account are not listed', async () => {
    const { findings, find, clock, kept } = await openFindings()
    await find('first', found(clock, 'a'))
    kept.accounts = kept.accounts.filter(({ id }) => id !== firstId)
    expect(await findings.list({ others: 10, ids: [] })).toMatchObject({ findings: [], fresh: 0 })
    expect(await findings.fresh(undefined)).toEqual({ count: 0, newest: null })
    await expect(findings.since({ account: firstId, day: day('2026-11-01') })).rejects.toThrow(
      'has been removed',
    )
  })
})

describe('mutes', () => {
  it('last until a day of the account within a year', async () => {
    const { findings, changed, kept } = await openFindings()
    const subject = { kind: 'account' } as const
    const add = (until: string) => findings.addMute({ account: firstId, subject, until: day(until) })
    await expect(add('2026-11-19')).rejects.toMatchObject({ failure: { field: 'until' } })
    await expect(add('2028-01-01')).rejects.toMatchObject({ failure: { field: 'until' } })
    expect(changed).toEqual([])
    await add('2026-11-20')
    const mute = await add('2027-01-01')
    kept.accounts = [...kept.accounts, { ...earlier, dayZone }]
    expect(await findings.listMutes({ account: earlierId })).toEqual([mute])
    await findings.removeMute({ account: firstId, id: mute.id })
    expect(await findings.listMutes({ account: firstId })).toEqual([])
    expect(changed).toEqual(Array.from({ length: 3 }, () => `findings ${firstId}`))
  })

  it('go with their alert', async () => {
    const { findings } = await openFindings()
    const subject = { kind: 'alert', alert: alertIdOf(1) as AlertId } as const
    await findings.addMute({ account: firstId, subject, until: day('2026-11-30') })
    await findings.removeAlert({ account: firstId, id: alertIdOf(1) })
    expect(await findings.listMutes({ account: firstId })).toEqual([])
  })
})
