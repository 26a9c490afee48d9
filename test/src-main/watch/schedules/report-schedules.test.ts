import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serviceDimensions } from '#shared/api/dimensions.ts'
import { invalid } from '#shared/api/failure.ts'
import { readPrintAddress } from '#shared/exports/paper.ts'
import { day } from '#shared/values/day.ts'
import type { CaseId } from '#shared/cases/case.ts'
import type { ScheduleId } from '#shared/watch/schedules.ts'
import type { FileExport } from '#main/exports/export-maker.ts'
import { account as accountWith, firstId, secondId } from '../../database/helpers.ts'
import { refusalOf } from '../../saved-views/helpers.ts'
import { entryWith, viewIds } from '../../database/state/watch.ts'
import { deskWith, ScheduledDesk } from './scheduled-desk.ts'

const aMinute = 60_000
const anHour = 60 * aMinute
const aDay = 24 * anHour

const aRun = (id: ScheduleId, text = '2026-11-21') => ({ account: firstId, id, day: day(text) })

describe('a schedule', () => {
  it('makes a file for each view when it is due, and says so once', async () => {
    const { desk, id } = await deskWith()
    expect(await desk.first()).toMatchObject({ nextAt: Date.parse('2026-11-21T08:00:00Z'), runs: [] })
    await desk.pass(20 * anHour - 1)
    expect(desk.fileNames()).toEqual([])
    await desk.pass(1)
    await desk.pass(1000)
    const files = ['Acme View 1 2026-11-21.csv', 'Acme View 2 2026-11-21.csv']
    expect(desk.fileNames()).toEqual(files)
    expect(await desk.first()).toMatchObject({
      nextAt: Date.parse('2026-11-22T08:00:00Z'),
      runs: [{ day: '2026-11-21', state: { kind: 'made', files, late: false } }],
    })
    expect(desk.shown).toEqual([
      [{ account: firstId, name: 'Weekly', files: 2, isLate: false, reason: null }],
    ])
    await desk.restart()
    expect(desk.shown).toHaveLength(1)
    expect(desk.fileNames()).toEqual(files)
    await desk.schedules.show(aRun(id))
    expect(desk.files).toEqual([join(desk.folder, 'Acme View 1 2026-11-21.csv')])
    await desk.schedules.mail(aRun(id))
    expect(desk.mails).toMatchObject([{ subject: 'Weekly 2026-11-21' }])
    expect(desk.mails[0]?.text).toContain('Acme View 1 2026-11-21.csv')
  })

  it('shows the days that the views had on the due day, in each format', async () => {
    const { desk } = await deskWith()
    desk.figures = 'missing'
    await desk.pass(aDay)
    desk.figures = 'stored'
    await desk.pass(aDay)
    const yesterday = { start: '2026-11-20', end: '2026-11-20' }
    expect(desk.made.slice(0, 2)).toMatchObject([
      { kind: 'table', format: 'csv', rows: 'all', query: { dimension: 'sources', range: yesterday } },
      { kind: 'overview', format: 'csv', queries: [{}, {}] },
    ])
    const { id } = await desk.first()
    for (const [format, kinds] of [
      ['xlsx', ['table', 'report']],
      ['parquet', ['table', 'overview']],
      ['pdf', ['pdf', 'pdf']],
    ] as const) {
      await desk.schedules.save({ account: firstId, id, entry: entryWith({ format }) })
      desk.made.length = 0
      await desk.pass(aDay)
      expect(desk.made).toMatchObject(kinds.map((kind) => ({ kind })))
    }
  })

  it('waits for missing figures, and is late then', async () => {
    const { desk } = await deskWith()
    desk.figures = 'missing'
    desk.fetches = 'fails'
    await desk.pass(aDay)
    expect(await desk.runs()).toEqual([['2026-11-21', 'for figures']])
    expect(desk.fileNames()).toEqual([])
    desk.fetches = 'all'
    await desk.pass(10 * aMinute)
    expect((await desk.first()).runs).toMatchObject([{ state: { kind: 'made', late: true } }])
  })

  it('is skipped with the reason after its patience, and made when the user wants it all the same', async () => {
    const { desk, id } = await deskWith({ patience: 2 })
    desk.figures = 'missing'
    desk.fetches = 'fails'
    await desk.pass(20 * anHour)
    await desk.pass(2 * anHour)
    expect((await desk.first()).runs).toMatchObject([
      { state: { kind: 'skipped', reason: { kind: 'offline', message: 'The service is away.' } } },
    ])
    expect(desk.shown).toMatchObject([[{ files: 0, reason: 'The service is away.' }]])
    expect(await refusalOf(desk.schedules.mail(aRun(id)))).toMatchObject({ kind: 'invalid' })
    desk.figures = 'stored'
    await desk.schedules.make(aRun(id))
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'made']])
    expect(await refusalOf(desk.schedules.make(aRun(id)))).toMatchObject({ kind: 'invalid' })
  })

  it('of a workbook of Overview waits for its tables, and has what is there if the user wants it', async () => {
    const subject = { kind: 'views', views: viewIds.slice(1, 2) } as const
    const { desk, id } = await deskWith({ subject, format: 'xlsx', patience: 2 })
    desk.lacks = ({ kind }) => kind === 'table'
    desk.fetches = 'fails'
    await desk.pass(20 * anHour)
    expect(await desk.runs()).toEqual([['2026-11-21', 'for figures']])
    // The service is away: nothing else is asked for.
    expect(desk.fetched).toHaveLength(1)
    desk.fetches = 'nothing'
    await desk.pass(10 * aMinute)
    const dimensions = desk.fetched.flatMap((query) => (query.kind === 'table' ? [query.dimension] : []))
    expect(new Set(dimensions)).toEqual(new Set(serviceDimensions))
    expect(await desk.runs()).toEqual([['2026-11-21', 'for figures']])
    await desk.pass(2 * anHour)
    expect(await desk.runs()).toEqual([['2026-11-21', 'skipped']])
    await desk.schedules.make(aRun(id))
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'made']])
    desk.lacks = () => false
    await desk.pass(aDay)
    expect((await desk.runs())[0]).toEqual(['2026-11-22', 'made'])
    // A table that the service refuses is absent from the file, which says so.
    desk.lacks = (query) => query.kind === 'table' && query.dimension === 'geography'
    desk.fetches = 'refuses one table'
    await desk.pass(aDay)
    expect((await desk.runs())[0]).toEqual(['2026-11-23', 'made'])
    // Rows of figures need no tables.
    desk.lacks = ({ kind }) => kind === 'table'
    await desk.schedules.save({ account: firstId, id, entry: entryWith({ subject, format: 'csv' }) })
    await desk.pass(aDay)
    expect((await desk.runs())[0]).toEqual(['2026-11-24', 'made'])
  })

  it('waits until its days are settled, without asking before they can be', async () => {
    const { desk } = await deskWith({ settled: true, patience: 168 })
    desk.figures = 'unsettled'
    await desk.pass(aDay)
    desk.fetches = 'all'
    await desk.pass(anHour)
    expect(await desk.runs()).toEqual([['2026-11-21', 'for settled']])
    desk.fetches = 'nothing'
    await desk.pass(2 * aDay)
    expect((await desk.runs()).at(-1)).toEqual(['2026-11-21', 'for settled'])
    desk.fetches = 'all'
    await desk.pass(10 * aMinute)
    expect((await desk.runs()).at(-1)).toEqual(['2026-11-21', 'made'])
  })

  it('is late only beyond the time in which its days settle', async () => {
    const { desk } = await deskWith({ settled: true, patience: 168 })
    desk.figures = 'unsettled'
    desk.fetches = 'all'
    await desk.pass(20 * anHour)
    // Three days after the 20th.
    await desk.pass(40 * anHour)
    expect((await desk.first()).runs.at(-1)).toMatchObject({
      ...{ day: '2026-11-21', state: { kind: 'made', late: false } },
    })
  })

  it('is made without final figures when the user asks for it', async () => {
    const { desk, id } = await deskWith({ settled: true, patience: 1 })
    desk.figures = 'unsettled'
    await desk.pass(20 * anHour)
    await desk.pass(2 * anHour)
    expect((await desk.first()).runs).toMatchObject([
      { state: { kind: 'skipped', reason: { message: 'Some days were not final in time.' } } },
    ])
    await desk.schedules.make(aRun(id))
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'made']])
  })

  it('goes to another folder if the one in which a file was begun is gone', async () => {
    const { desk, id } = await deskWith({ patience: 1 })
    desk.chosen = desk.folder
    const folder = await desk.schedules.chooseFolder({ account: firstId })
    await desk.schedules.save({ account: firstId, id, entry: entryWith({ folder, patience: 1 }) })
    const lost = join(desk.folder, '..', 'lost')
    const begun = {
      item: viewIds[0] ?? '',
      folder: lost,
      draft: '.d.part',
      name: 'a.csv',
      size: 1,
      oldest: null,
    }
    desk.making = async () => {
      const files = [{ ...begun, isNamed: false }]
      await desk.store.run('schedule-runs/write-files', { schedule: id, day: day('2026-11-21'), files })
      throw Object.assign(new Error('Gone'), { code: 'ENOENT' })
    }
    await desk.pass(20 * anHour)
    desk.making = null
    await desk.pass(2 * anHour)
    expect(await desk.runs()).toEqual([['2026-11-21', 'skipped']])
    await desk.schedules.make(aRun(id))
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'made']])
    expect(desk.fileNames()).toHaveLength(2)
  })

  it('waits for a folder that is gone, and for a full disk', async () => {
    const { desk } = await deskWith()
    desk.chosen = desk.folder
    const { id } = await desk.first()
    const folder = await desk.schedules.chooseFolder({ account: firstId })
    await desk.schedules.save({ account: firstId, id, entry: entryWith({ folder }) })
    desk.moveFolder(false)
    await desk.pass(aDay)
    expect(await desk.runs()).toEqual([['2026-11-21', 'for folder']])
    desk.moveFolder(true)
    desk.failure = Object.assign(new Error('Full'), { code: 'ENOSPC' })
    await desk.pass(10 * aMinute)
    expect(await desk.runs()).toEqual([['2026-11-21', 'for folder']])
    desk.failure = null
    await desk.pass(10 * aMinute)
    expect(await desk.runs()).toEqual([['2026-11-21', 'made']])
  })

  it('makes the latest of those that were slept through, and lists the others', async () => {
    const { desk } = await deskWith()
    await desk.pass(4 * aDay)
    expect(await desk.runs()).toEqual([
      ['2026-11-24', 'made'],
      ['2026-11-23', 'missed'],
      ['2026-11-22', 'missed'],
      ['2026-11-21', 'missed'],
    ])
    expect(desk.fileNames()).toHaveLength(2)
  })

  it('has no old misses after a clock that went back and forth within a year, and makes nothing twice', async () => {
    const { desk, id } = await deskWith()
    await desk.pass(3 * aDay)
    const before = await desk.runs()
    expect(before).toHaveLength(3)
    const files = desk.fileNames()
    for (const away of [200 * aDay, 100 * aDay]) {
      await desk.pass(-away)
      desk.schedules.wake()
      await desk.settle()
      expect(desk.fileNames()).toEqual(files)
      await desk.restart()
      await desk.pass(away)
      expect(await desk.runs()).toEqual(before)
    }
    const rule = { ...entryWith().rule, hour: 9 }
    await desk.schedules.save({ account: firstId, id, entry: entryWith({ rule }) })
    await desk.pass(-200 * aDay)
    desk.schedules.wake()
    await desk.settle()
    // As after a schedule was entered by a clock that ran ahead.
    await desk.pass(aDay)
    expect(await desk.runs()).toEqual([
      ['2026-11-23', 'made'],
      ['2026-05-08', 'made'],
    ])
    await desk.pass(199 * aDay)
    expect(await desk.runs()).toEqual([...before, ['2026-05-08', 'made']])
  })

  it('waits again if the app is locked, or background work is paused, while it is made', async () => {
    const { desk } = await deskWith({ format: 'pdf' })
    const endless = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(new Error('Ended'))))
    desk.making = endless
    await desk.start(20 * anHour)
    expect(await desk.runs()).toEqual([['2026-11-21', 'making']])
    desk.setLock(true)
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'for lock']])
    desk.setLock(false)
    await desk.start(0)
    expect(await desk.runs()).toEqual([['2026-11-21', 'making']])
    desk.schedules.pause(true)
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'for figures']])
    desk.making = null
    desk.schedules.pause(false)
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'made']])
  })

  it('tells windows when a run rests, or goes on, because the clock was corrected', async () => {
    const rule = { ...entryWith().rule, days: { kind: 'week', weekdays: [6] } } as const
    const { desk } = await deskWith({ rule, patience: 168 })
    desk.figures = 'missing'
    await desk.pass(21 * anHour)
    const waits = [['2026-11-21', 'for figures']]
    expect(await desk.runs()).toEqual(waits)
    const eventsAfter = async (milliseconds: number) => {
      desk.told.length = 0
      await desk.clock.move(milliseconds)
      desk.schedules.wake()
      await desk.settle()
      return desk.told.map(({ kind }) => kind)
    }
    expect(await eventsAfter(-aDay)).toContain('schedules/changed')
    expect(await desk.runs()).toEqual([])
    expect(await eventsAfter(aMinute)).toEqual([])
    expect(await eventsAfter(aDay)).toContain('schedules/changed')
    expect(await desk.runs()).toEqual(waits)
    expect(await eventsAfter(aMinute)).toEqual([])
  })

  it('is not tried again because another account is back', async () => {
    const { desk } = await deskWith()
    desk.figures = 'missing'
    await desk.pass(20 * anHour)
    desk.figures = 'stored'
    desk.schedules.wake(secondId)
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'for figures']])
    desk.schedules.wake(firstId)
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'made']])
  })

  it('never writes over another file', async () => {
    const { desk } = await deskWith()
    writeFileSync(join(desk.folder, 'Acme View 1 2026-11-21.csv'), 'mine')
    await desk.pass(aDay)
    expect(desk.fileNames()).toEqual([
      'Acme View 1 2026-11-21 (2).csv',
      'Acme View 1 2026-11-21.csv',
      'Acme View 2 2026-11-21.csv',
    ])
  })

  it('is skipped at once if a view is gone', async () => {
    const { desk } = await deskWith()
    await desk.store.run('views/remove', { account: firstId, id: viewIds[1] ?? expect.fail() })
    await desk.pass(aDay)
    expect((await desk.first()).runs).toMatchObject([
      { state: { kind: 'skipped', reason: { kind: 'invalid', field: 'subject' } } },
    ])
  })

  it('makes Today on its own day only', async () => {
    const { desk } = await deskWith({ subject: { kind: 'today' }, format: 'pdf' })
    desk.figures = 'missing'
    await desk.pass(11 * anHour)
    await desk.pass(9 * anHour)
    desk.figures = 'stored'
    await desk.pass(10 * aMinute)
    expect(desk.made).toMatchObject([{ name: 'Today', ending: 'pdf' }])
    const [what] = desk.made as readonly FileExport[]
    const path = join(desk.folder, 'printed')
    await what?.write(path, new AbortController().signal, () => undefined)
    expect(readPrintAddress(readFileSync(path, 'utf8'))).toMatchObject({ day: '2026-11-20' })
    rmSync(path)
    desk.figures = 'missing'
    await desk.pass(aDay)
    desk.figures = 'stored'
    await desk.pass(16 * anHour)
    expect((await desk.runs())[0]).toEqual(['2026-11-22', 'skipped'])
    // The day ended while it was printed.
    const late = what?.write(path, new AbortController().signal, () => undefined)
    expect(await refusalOf(late ?? expect.fail())).toMatchObject({ kind: 'invalid', field: 'subject' })
    expect(existsSync(path)).toBe(false)
  })

  it('takes nothing up while it is paused, and nothing that was due before it goes on', async () => {
    const { desk, id } = await deskWith({ paused: true })
    expect(await desk.first()).toMatchObject({ nextAt: null })
    await desk.pass(2 * aDay)
    await desk.schedules.save({ account: firstId, id, entry: entryWith() })
    await desk.settle()
    expect(await desk.runs()).toEqual([])
    await desk.pass(aDay)
    expect(await desk.runs()).toEqual([['2026-11-23', 'made']])
  })

  it('does not make what waits while it is paused, unless the user asks for it', async () => {
    const { desk, id } = await deskWith()
    desk.figures = 'missing'
    await desk.pass(20 * anHour)
    const save = (paused: boolean) =>
      desk.schedules.save({ account: firstId, id, entry: entryWith({ paused }) })
    await save(true)
    desk.figures = 'stored'
    desk.schedules.wake()
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'for figures']])
    await save(false)
    await desk.pass(2 * aDay)
    expect((await desk.runs()).at(-2)).toEqual(['2026-11-22', 'missed'])
    await save(true)
    await desk.schedules.make(aRun(id, '2026-11-22'))
    await desk.settle()
    expect((await desk.runs()).at(-2)).toEqual(['2026-11-22', 'made'])
  })

  it('is next due on a day that has no run yet', async () => {
    const { desk, id } = await deskWith()
    await desk.pass(21 * anHour)
    const rule = { ...entryWith().rule, hour: 23 }
    const changed = await desk.schedules.save({ account: firstId, id, entry: entryWith({ rule }) })
    expect(changed.nextAt).toBe(Date.parse('2026-11-22T23:00:00Z'))
    await desk.pass(14 * anHour)
    expect(await desk.runs()).toEqual([['2026-11-21', 'made']])
  })

  it('whose view was deleted is paused and restored all the same, and not given to another view', async () => {
    const { desk, id } = await deskWith()
    await desk.store.run('views/remove', { account: firstId, id: viewIds[1] ?? expect.fail() })
    const entry = entryWith({ paused: true })
    expect(await desk.schedules.save({ account: firstId, id, entry })).toMatchObject({ paused: true })
    await desk.schedules.remove({ account: firstId, id })
    const back = { account: firstId, id, entry, isNew: true }
    expect(await desk.schedules.save(back)).toMatchObject({ id, paused: true })
    const subject = { kind: 'views', views: viewIds.toReversed() } as const
    const other = desk.schedules.save({ account: firstId, id, entry: entryWith({ subject }) })
    expect(await refusalOf(other)).toMatchObject({ kind: 'invalid', field: 'subject' })
  })

  it('comes back with a folder that was chosen before the app was started again', async () => {
    const { desk, id } = await deskWith()
    desk.chosen = desk.folder
    const folder = await desk.schedules.chooseFolder({ account: firstId })
    await desk.schedules.save({ account: firstId, id, entry: entryWith({ folder }) })
    await desk.restart()
    await desk.schedules.remove({ account: firstId, id })
    const back = { account: firstId, id, entry: entryWith({ folder }), isNew: true }
    expect(await desk.schedules.save(back)).toMatchObject({ folder })
  })

  it('does not belong to earlier figures', async () => {
    const { desk } = await deskWith()
    desk.account = { ...accountWith(), kind: 'earlier', account: firstId } as never
    expect(await desk.schedules.list({ account: firstId })).toEqual([])
  })

  it('comes back with its runs, and is not due again', async () => {
    const { desk, id } = await deskWith()
    await desk.pass(aDay)
    await desk.schedules.remove({ account: firstId, id })
    expect(await desk.schedules.list({ account: firstId })).toEqual([])
    const back = { account: firstId, id, entry: entryWith(), isNew: true }
    expect(await desk.schedules.save(back)).toMatchObject({ id, runs: [{ state: { kind: 'made' } }] })
    await desk.settle()
    expect(desk.fileNames()).toHaveLength(2)
  })

  it('is announced once the desktop shows notifications again', async () => {
    const { desk } = await deskWith()
    desk.desktop = 'refuses'
    await desk.pass(aDay)
    expect(desk.shown).toEqual([])
    desk.desktop = 'shows'
    desk.events.emit({ kind: 'notifications/back' })
    await desk.settle()
    expect(desk.shown).toHaveLength(1)
  })
})

describe('what is entered for a schedule', () => {
  it.each([
    ['no name', { name: '  ' }, 'name'],
    ['a long name', { name: 'n'.repeat(300) }, 'name'],
    ['no file name', { fileNames: ' ' }, 'fileNames'],
    ['a part that is none', { fileNames: '{nmae}' }, 'fileNames'],
    ['a view that is gone', { subject: { kind: 'views', views: ['9'.repeat(36)] } }, 'subject'],
    ['a view twice', { subject: { kind: 'views', views: [viewIds[0], viewIds[0]] } }, 'subject'],
    ['a zone that is unknown', { rule: { ...entryWith().rule, zone: 'Mars/Olympus' } }, 'zone'],
    ['a folder that nobody chose', { folder: '/etc' }, 'folder'],
  ] as const)('is refused with %s', async (_, changes, field) => {
    const desk = await ScheduledDesk.open()
    const refused = desk.add(changes as Parameters<typeof entryWith>[0])
    expect(await refusalOf(refused)).toMatchObject({ kind: 'invalid', field })
  })

  it('is refused with a case that is gone', async () => {
    const desk = await ScheduledDesk.open()
    const subject = { kind: 'case', id: '88888888-8888-4888-8888-888888888888' as CaseId } as const
    expect(await refusalOf(desk.add({ subject, format: 'zip' }))).toMatchObject({
      kind: invalid('').failure.kind,
    })
  })
})
