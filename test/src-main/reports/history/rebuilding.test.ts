import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { keepTimeOfMachine } from '#test/helpers/day-of-tests.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { localStore } from '#test/src-main/database/helpers.ts'
import { engineForAll } from '../engine/engine-thread.ts'
import { newHistory, oneDay, place, TestHistory } from './histories.ts'
import type { OneDay } from './histories.ts'

keepTimeOfMachine('files have the time of the disk')

const { engine, history: root, end } = engineForAll()
afterAll(end)

const begin = () => newHistory(engine, root)
let count = 0

const dates = [1, 2, 3, 4, 5, 6, 7, 8]
const week = 7 * 24 * 60 * 60 * 1000
const plainDay = (date: number, changes: Partial<OneDay> = {}): OneDay => ({
  ...{ date, codes: ['UE'], rows: [['A', date, date, 0, 0, 1]], totalsAlone: false },
  ...changes,
})
const nothing = { adopted: 0, swept: 0, ignored: 0 }

/** A name that fits the bytes of a file. */
function namedAfterItself(place: string): string {
  const checksum = crc32(readFileSync(place)).toString(16).padStart(8, '0')
  return join(dirname(place), `${basename(place).slice(0, 16)}-${checksum}.parquet`)
}

describe('a catalogue that is lost', () => {
  it('is made anew: every table is listed and every answer is as before, whatever was left over', async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: oneDay },
      { weight: 1, arbitrary: fc.subarray(dates).map((settled) => ({ settled })) },
    )
    const steps = fc.array(step, { minLength: 3, maxLength: 12 })
    const property = fc.asyncProperty(steps, fc.boolean(), async (all, leftOver) => {
      const stored = begin()
      const graves = `${root}-graves-${(count += 1)}`
      for (const each of all) {
        if ('date' in each) await stored.keep(each)
        else await stored.compact((date) => each.settled.includes(date))
        if (leftOver) cpSync(root, graves, { recursive: true })
      }
      const [said, answers] = [await stored.said(), await stored.answers(dates)]
      // As if no file had ever been deleted.
      if (leftOver && existsSync(graves)) cpSync(graves, root, { recursive: true })
      const anew = stored.withoutCatalogue()
      const files = anew.files().length
      const { adopted, swept, ignored } = await anew.rebuild()
      expect([swept, adopted + ignored]).toEqual([0, files])
      expect(await anew.said()).toEqual(said)
      expect(await anew.answers(dates)).toEqual(answers)
      await anew.rebuild(2 * week)
      expect(await anew.said()).toEqual(said)
      expect(await anew.answers(dates)).toEqual(answers)
      expect(anew.files()).toEqual(await anew.catalogued())
      expect(await anew.rebuild(2 * week)).toEqual(nothing)
    })
    await checkAsyncProperty('a lost catalogue', property, 10)
  }, 120_000)

  it('gets what it misses, and what is there stays', async () => {
    const stored = begin()
    await stored.keep(plainDay(1))
    const anew = stored.withoutCatalogue()
    for (let time = 0; time < 3; time += 1) await anew.keep(plainDay(1))
    await anew.keep(plainDay(2))
    const said = await anew.said()
    expect(await anew.rebuild()).toEqual({ ...nothing, ignored: 1 })
    expect(await anew.said()).toEqual(said)
    expect(await anew.rebuild(2 * week)).toEqual({ ...nothing, swept: 1 })
    expect(await anew.answers(dates)).toMatchObject([{}, {}, {}].map(() => ({ table: { kind: 'computed' } })))
  })

  it('prefers what is there to what claims to come from later', async () => {
    const stored = begin()
    const later = (Date.now() + week) as Instant
    const range = { start: '2026-10-01', end: '2026-10-01' } as Parameters<
      typeof stored.history.save
    >[0]['range']
    const told = { ...place, range, headers: [], all: null, total: {}, rows: null, doubt: null, term: 0 }
    await stored.history.save({ ...told, fetchedAt: later })
    const anew = stored.withoutCatalogue()
    await anew.history.save({ ...told, fetchedAt: 1_000 as Instant })
    const said = await anew.said()
    expect(await anew.rebuild()).toEqual({ ...nothing, ignored: 1 })
    expect(await anew.said()).toEqual(said)
    const last = stored.withoutCatalogue()
    expect(await last.rebuild()).toMatchObject({ swept: 0 })
    expect(await last.said()).toEqual(said)
  })

  it('is left alone where it is only held in memory, or nobody waits for it any more', async () => {
    const stored = begin()
    await stored.keep(plainDay(1))
    expect(await stored.withoutCatalogue().rebuild(2 * week, AbortSignal.abort())).toEqual(nothing)
    const failure = { kind: 'disk', message: 'It cannot be written to.' } as const
    const inMemory = { ...localStore(), opened: Promise.resolve({ kind: 'unwritable', failure } as const) }
    expect(await new TestHistory(engine, root, inMemory).rebuild(2 * week)).toEqual(nothing)
    expect(stored.files()).toHaveLength(1)
  })

  it('stays empty where there is no folder', async () => {
    expect(await new TestHistory(engine, `${root}-none`).rebuild()).toEqual(nothing)
  })
})

describe('what was left over', () => {
  it('of writing is deleted after a week, and no sooner', async () => {
    const stored = begin()
    await stored.keep(plainDay(1))
    const [file = ''] = stored.files()
    const draft = join(dirname(file), '0123456789abcdef.part')
    copyFileSync(file, draft)
    expect(await stored.rebuild(week - 60_000)).toEqual({ ...nothing, ignored: 1 })
    expect(await stored.rebuild(week + 60_000)).toEqual({ ...nothing, swept: 1 })
    expect(stored.files()).toEqual([file])
  })

  it.each<[string, (place: string) => void]>([
    ['cut short', (each) => truncateSync(each, 300)],
    ['empty', (each) => truncateSync(each, 0)],
    [
      'wrong by a bit among its rows',
      (each) => {
        const bytes = readFileSync(each)
        bytes[40] = (bytes[40] ?? 0) ^ 1
        writeFileSync(each, bytes)
      },
    ],
    ['another table', (each) => copyFileSync(join(root, 'other'), each)],
  ])('and is %s is never catalogued, and deleted after a week', async (_, wrong) => {
    const stored = begin()
    await stored.keep(plainDay(2))
    copyFileSync(stored.files()[0] ?? '', join(root, 'other'))
    await stored.keep(plainDay(1))
    const [one] = (await stored.history.list(place)).filter(({ range }) => range.start === '2026-10-01')
    const damaged = join(root, one?.file.path ?? '')
    wrong(damaged)
    const anew = stored.withoutCatalogue()
    expect(await anew.rebuild()).toEqual({ adopted: 1, swept: 0, ignored: 2 })
    expect((await anew.said()).map(({ range }) => range.start)).toEqual(['2026-10-02'])
    expect(await anew.rebuild(2 * week)).toEqual({ adopted: 0, swept: 1, ignored: 1 })
    expect(existsSync(damaged)).toBe(false)
  })
})

describe('what is not ours', () => {
  it('is neither catalogued nor deleted, whatever its name', async () => {
    const stored = begin()
    await stored.keep(plainDay(1))
    const [file = ''] = stored.files()
    const [month, report, account] = [dirname(file), dirname(dirname(file)), dirname(dirname(dirname(file)))]
    const copy = (to: string) => {
      mkdirSync(dirname(to), { recursive: true })
      copyFileSync(file, to)
    }
    const inside = basename(file)
    const strange = [
      ['a note', () => writeFileSync(join(root, 'README.txt'), 'mine')],
      ['a copy with another name', () => copy(join(month, 'copy.parquet'))],
      ['a name that leads out', () => copy(join(month, '..parquet'))],
      [
        'the folder of another data scope',
        () => copy(join(root, 'account=scope-2', basename(report), basename(month), inside)),
      ],
      ['another month', () => copy(join(report, 'month=2026-11', inside))],
      ['another report', () => copy(join(account, 'report=direct-networks', basename(month), inside))],
      ['a folder too deep', () => copy(join(month, 'deeper', inside))],
      [
        'a data scope that is none',
        () => copy(join(root, 'account=a b', basename(report), basename(month), inside)),
      ],
      ['a link to a file', () => symlinkSync(file, join(month, `fedcba9876543210${inside.slice(16)}`))],
      ['a link to a folder', () => symlinkSync(account, join(root, 'account=linked'))],
      [
        'a file of another edition',
        () => {
          const other = join(month, '0000000000000000-00000000.parquet')
          writeFileSync(other, 'Written by an edition that is still to come')
          renameSync(other, namedAfterItself(other))
        },
      ],
    ] as const
    for (const [, make] of strange) make()
    const files = stored.files()
    const anew = stored.withoutCatalogue()
    for (const later of [0, 60 * week])
      expect(await anew.rebuild(later)).toEqual({
        adopted: later === 0 ? 1 : 0,
        swept: 0,
        ignored: strange.length,
      })
    expect(anew.files()).toEqual(files)
    expect(await anew.catalogued()).toEqual([file])
    expect(await anew.history.list({ ...place, dataScope: 'scope-2' as DataScopeId })).toEqual([])
  })
})

it('lets everything of a data scope go while tables of theirs are written', async () => {
  const stored = begin()
  await stored.keep(plainDay(1))
  const folder = join(root, `account=${place.dataScope}`)
  const writing = (async () => {
    for (let nth = 0; nth < 200; nth += 1)
      await writeFile(join(folder, `${nth}.parquet`), '').catch(() => undefined)
  })()
  await stored.history.forgetDataScope(place.dataScope)
  await writing
})
