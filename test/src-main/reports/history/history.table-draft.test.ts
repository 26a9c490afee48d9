import { expect, it } from 'vitest'
import type { Engine } from '#main/reports/engine/report-engine.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { day } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { localStore, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { historyOver } from './history-over.ts'

const range = { start: day('2026-11-01'), end: day('2026-11-01') }
const table = {
  ...{ dataScope: '00000000-0000-4000-8000-000000000001' as DataScopeId, subject: 'script/browsers?', range },
  ...{ headers: ['Browser', 'Requests'], all: null, total: {}, fetchedAt: 1 as Instant, doubt: null },
  term: 0,
}
const rows = [{ label: { kind: 'text', text: 'Chrome' }, cells: [1] }] as const

/** A history whose engine does what the test says, and remembers what it was told. */
function drafting(answer: (name: string) => unknown) {
  const told: string[] = []
  const call = async (name: string) => {
    told.push(name)
    return answer(name)
  }
  const folder = temporaryFolder()
  const store = localStore(folder)
  const engine = { call, mayRest: (may: boolean) => void told.push(may ? 'may rest' : 'must not rest') }
  const history = historyOver({ store, engine: engine as unknown as Engine, historyFolder: folder })
  return { history, told }
}

it('keeps the engine from resting until all drafts have ended, and lets rows go that are given up', async () => {
  const { history, told } = drafting(() => null)
  const [one, other] = [await history.draft(), await history.draft()]
  await one.add(1, rows)
  await one.discard()
  await one.discard()
  expect(told).toEqual(['must not rest', 'must not rest', 'stage', 'discard', 'must not rest'])
  await other.discard()
  expect(told.splice(5)).toEqual(['may rest'])
})

it.each(['stage', 'write'])(
  'says what became of figures that came where the engine fails to %s',
  async (failing) => {
    const { history, told } = drafting((name) => {
      if (name !== failing) return null
      throw new DeskFailure({ kind: 'internal', message: 'Something went wrong inside.' })
    })
    const failure = {
      kind: 'internal',
      message: expect.stringMatching(/could not be saved.*try again/i),
    }
    await expect(history.save({ ...table, rows: [rows] })).rejects.toMatchObject({ failure })
    expect(told.at(-1)).toBe('may rest')
  },
)

it('says what the disk refuses as the engine says it', async () => {
  const { history } = drafting(() => {
    throw new DeskFailure({ kind: 'disk', message: 'The disk is full.' })
  })
  const failure = { kind: 'disk', message: 'The disk is full.' }
  await expect(history.save({ ...table, rows: [rows] })).rejects.toMatchObject({ failure })
})
