import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import { isFolder } from '#main/settings/settings.ts'
import { refusalOf } from '../../saved-views/helpers.ts'
import { firstId } from '../../database/helpers.ts'
import { entryWith, viewIds } from '../../database/state/watch.ts'
import { settled } from '../../reports/clock.ts'
import { chosen, deskWith, ScheduledDesk } from './scheduled-desk.ts'

const anHour = 60 * 60_000
const aDay = 24 * anHour

/** A promise that is resolved by `open`. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open: () => open() }
}

/** Counts how much work runs at once. */
function counter() {
  let running = 0
  const counted = {
    most: 0,
    run: async (work: () => Promise<void>) => {
      running += 1
      counted.most = Math.max(counted.most, running)
      await work()
      running -= 1
    },
  }
  return counted
}

/** Lets runs look in a folder, because looks take turns: these come after theirs. */
async function looksInTurn(folder: string) {
  for (let turn = 0; turn < 10; turn += 1) {
    await isFolder(folder)
    await settled()
  }
}

describe('a schedule beside others', () => {
  it('is made while another one, that was due before, still fetches its figures', async () => {
    const [rows, overview] = [0, 1].map(
      (nth) => ({ kind: 'views', views: viewIds.slice(nth, nth + 1) }) as const,
    )
    if (!rows || !overview) expect.fail()
    const { desk } = await deskWith({ subject: overview, format: 'xlsx', patience: 24 })
    let come = () => {}
    const figures = new Promise<void>((resolve) => (come = resolve))
    desk.fetching = ({ kind }) => (kind === 'overview' ? figures : Promise.resolve())
    await desk.add({ subject: rows, name: 'With it' })
    await desk.add({ subject: rows, name: 'Later', rule: { ...entryWith().rule, hour: 9 } })
    const states = async () =>
      (await desk.schedules.list({ account: firstId })).map(({ runs }) => runs[0]?.state.kind)
    await desk.start(20 * anHour)
    await expect.poll(states).toEqual(['waiting', 'made', undefined])
    await desk.start(anHour)
    await expect.poll(states).toEqual(['waiting', 'made', 'made'])
    // What is being fetched is not fetched again, and can be interrupted.
    desk.schedules.wake()
    await desk.start(0)
    expect(desk.fetched.filter(({ kind }) => kind === 'overview')).toHaveLength(1)
    desk.schedules.pause(true)
    await desk.settle()
    desk.schedules.pause(false)
    await desk.start(0)
    expect(desk.fetched.filter(({ kind }) => kind === 'overview')).toHaveLength(2)
    come()
    await desk.settle()
    expect(await states()).toEqual(['made', 'made', 'made'])
  })

  it.each(
    (['deleted', 'paused', 'changed'] as const).flatMap((what) => [
      [what, 'while its figures come'] as const,
      [what, 'before its run is tried'] as const,
    ]),
  )('that is %s %s', async (what, when) => {
    const { desk, id } = await deskWith()
    const [figures, reading] = [gate(), gate()]
    desk.fetching = () => figures.opened
    if (when === 'before its run is tried')
      desk.answering = (name) => (name === 'schedule-runs/open' ? reading.opened : Promise.resolve())
    await desk.start(20 * anHour)
    if (when === 'while its figures come') await expect.poll(() => desk.fetched.length).toBe(1)
    const entry = entryWith({ paused: what === 'paused', fileNames: 'New {name}' })
    if (what === 'deleted') await desk.schedules.remove({ account: firstId, id })
    else await desk.schedules.save({ account: firstId, id, entry })
    reading.open()
    await desk.start(0)
    figures.open()
    await desk.settle()
    const files = ['New View 1.csv', 'New View 2.csv']
    expect(desk.fileNames()).toEqual(what === 'changed' ? files : [])
    if (what === 'deleted') await desk.schedules.save({ account: firstId, id, entry, isNew: true })
    else await desk.schedules.save({ account: firstId, id, entry: { ...entry, paused: false } })
    desk.schedules.wake()
    await desk.settle()
    expect(desk.fileNames()).toEqual(files)
  })

  it('stores no outcome of an interrupted attempt', async () => {
    const { desk } = await deskWith({ patience: 2 })
    desk.figures = 'missing'
    await desk.pass(20 * anHour)
    desk.figures = 'stored'
    // Its patience ends, and background work is paused before the outcome is stored.
    desk.lacks = () => {
      desk.schedules.pause(true)
      return true
    }
    await desk.pass(2 * anHour)
    expect(await desk.runs()).toEqual([['2026-11-21', 'for figures']])
    desk.lacks = () => false
    desk.schedules.pause(false)
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'made']])
  })

  it('in a zone that this system does not know is listed, makes nothing by itself, and is mended by another zone', async () => {
    const desk = await ScheduledDesk.open('2026-11-20T12:00:00Z')
    const id = await desk.add({ name: 'Sound' })
    const rule = { ...entryWith().rule, zone: 'Mars/Olympus' }
    const [stored] = await desk.store.run('schedules/list', firstId)
    if (!stored) expect.fail()
    await desk.store.run('schedules/put', { schedule: { ...stored, rule }, isNew: false })
    await desk.add({ name: 'Beside it' })
    desk.schedules.start()
    await desk.pass(20 * anHour)
    const [listed, other] = await desk.schedules.list({ account: firstId })
    expect(listed).toMatchObject({ rule, nextAt: null, runs: [] })
    expect(other?.runs).toHaveLength(1)
    // It can be paused and restored, but not be given to another one.
    await desk.schedules.save({ account: firstId, id, entry: entryWith({ rule, paused: true }) })
    await desk.schedules.remove({ account: firstId, id })
    await desk.schedules.save({ account: firstId, id, entry: entryWith({ rule }), isNew: true })
    expect(await refusalOf(desk.add({ rule }))).toMatchObject({ kind: 'invalid', field: 'zone' })
    await desk.schedules.save({ account: firstId, id, entry: entryWith({ name: 'Mended' }) })
    await desk.pass(aDay)
    const all = await desk.schedules.list({ account: firstId })
    expect(all.find(({ name }) => name === 'Mended')?.runs).toMatchObject([{ state: { kind: 'made' } }])
  })

  it('that waits is tried at once when it is changed', async () => {
    const { desk, id } = await deskWith()
    desk.figures = 'missing'
    await desk.pass(20 * anHour)
    desk.figures = 'stored'
    await desk.schedules.save({ account: firstId, id, entry: entryWith({ name: 'Weekly' }) })
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'for figures']])
    await desk.schedules.save({ account: firstId, id, entry: entryWith({ name: 'New' }) })
    await desk.settle()
    expect(await desk.runs()).toEqual([['2026-11-21', 'made']])
  })

  it('of an account that is removed while its figures come makes nothing', async () => {
    const { desk } = await deskWith()
    desk.fetching = () => new Promise(() => undefined)
    await desk.start(20 * anHour)
    await expect.poll(() => desk.fetched.length).toBe(1)
    desk.account = null
    desk.events.emit({ kind: 'account/removed', account: firstId, dataScopes: [] })
    await desk.settle()
    expect(desk.fileNames()).toEqual([])
  })

  it('writes the files of one at a time in a folder', async () => {
    const { desk } = await deskWith()
    // The download folder, and the same one as chosen.
    await desk.add({ name: 'Second', folder: await chosen(desk, desk.folder) })
    const [writing, held] = [counter(), gate()]
    desk.making = () => writing.run(() => held.opened)
    await desk.start(20 * anHour)
    await expect.poll(() => writing.most).toBe(1)
    await looksInTurn(desk.folder)
    held.open()
    await desk.settle()
    expect([desk.made.length, writing.most]).toEqual([4, 1])
  })

  it('fetches with four others at most, and writes with one other, whatever their folders', async () => {
    const { desk } = await deskWith()
    for (let nth = 0; nth < 9; nth += 1) {
      const folder = join(desk.folder, String(nth))
      mkdirSync(folder)
      await desk.add({ name: `Schedule ${nth}`, folder: await chosen(desk, folder) })
    }
    const [fetching, writing, hanging] = [counter(), counter(), gate()]
    desk.fetching = () => fetching.run(settled)
    let isFirst = true
    desk.making = () => {
      const work = isFirst ? () => hanging.opened : settled
      isFirst = false
      return writing.run(work)
    }
    await desk.start(20 * anHour)
    // One that hangs holds up no other.
    const made = async () =>
      (await desk.schedules.list({ account: firstId })).filter(({ runs }) => runs[0]?.state.kind === 'made')
    await expect.poll(async () => (await made()).length).toBe(9)
    hanging.open()
    await desk.settle()
    expect(await made()).toHaveLength(10)
    expect([fetching.most, writing.most]).toEqual([4, 2])
  })

  it('looks for files of an earlier life only while no other run writes in their folder', async () => {
    const desk = await ScheduledDesk.open()
    desk.hasLinks = false
    const subject = { kind: 'views', views: viewIds.slice(0, 1) } as const
    const ids = [await desk.add({ subject }), await desk.add({ name: 'Second', subject })]
    const [dueAt, draft] = [instantOf(desk.clock.now()), '.traffic-desk-begun.part']
    const begun = {
      ...{ item: viewIds[0] ?? expect.fail(), folder: desk.folder, draft, name: 'Begun.csv', size: 5 },
      ...{ oldest: null, isNamed: false },
    }
    const [begunRun, other] = ids.map((schedule, nth) => ({
      ...{ account: firstId, schedule, day: day('2026-11-20'), state: { kind: 'making' } as const },
      ...{ files: nth === 0 ? [begun] : [], dueAt, takenAt: dueAt, changedAt: dueAt, toldAt: null },
    }))
    writeFileSync(join(desk.folder, draft), 'begun')
    const writing = gate()
    desk.making = () => writing.opened
    await desk.store.run('schedule-runs/add', [other ?? expect.fail()])
    desk.schedules.start()
    await desk.start(0)
    // The other run has taken the name, and does not have its file under it yet.
    writeFileSync(join(desk.folder, begun.name), '')
    await desk.store.run('schedule-runs/add', [begunRun ?? expect.fail()])
    desk.schedules.wake()
    await desk.start(0)
    await looksInTurn(desk.folder)
    expect(desk.drafts()).toEqual([draft])
    expect(readFileSync(join(desk.folder, begun.name), 'utf8')).toBe('')
    writeFileSync(join(desk.folder, begun.name), 'other')
    writing.open()
    await desk.settle()
    expect(readFileSync(join(desk.folder, begun.name), 'utf8')).toBe('other')
    expect(desk.fileNames()).toHaveLength(3)
    expect(desk.drafts()).toEqual([])
  })

  it('that is printed waits while the app is locked, no longer than its patience, and lets others go on', async () => {
    const { desk } = await deskWith({ format: 'pdf', patience: 2 })
    await desk.add({ name: 'Rows' })
    desk.lock.locked = true
    await desk.pass(20 * anHour)
    const state = async () =>
      (await desk.schedules.list({ account: firstId })).map(({ runs }) => runs[0]?.state)
    expect(await state()).toMatchObject([{ kind: 'waiting', for: 'lock' }, { kind: 'made' }])
    desk.setLock(false)
    await desk.settle()
    expect(await state()).toMatchObject([{ kind: 'made' }, { kind: 'made' }])
    desk.setLock(true)
    await desk.pass(aDay)
    await desk.pass(3 * anHour)
    expect((await state())[0]).toMatchObject({
      kind: 'skipped',
      reason: { message: 'The app was not unlocked in time.' },
    })
  })
})
