import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import { trendFrom } from '#main/reports/engine/totals.ts'
import type { Engine } from '#main/reports/engine/report-engine.ts'
import type { EngineOptions } from '#main/analytics/engine-client.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { newTableId, historyStemOf } from '#main/analytics/history-layout.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import type { Channel } from '#main/workers/rpc.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { engineChildChannel, engineChannel } from './engine-thread.ts'
import { dataScope } from './kept-days.ts'
import { asked, dayOf, directHeaders, rowOf, written } from './tables.ts'
import type { Row } from './tables.ts'

type Started = {
  readonly engine: Engine
  /** Every channel that was begun. */
  readonly channels: readonly Channel[]
  readonly history: string
}

type Options = Omit<EngineOptions, 'open'> & { readonly open?: (history: string) => Channel }

function start(options: Options = {}): Started {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-engine-'))
  const history = join(folder, 'history')
  const channels: Channel[] = []
  const { open = engineChannel, idle = 600_000, ...others } = options
  const begin = () => {
    const channel = open(history)
    channels.push(channel)
    return channel
  }
  const engine = startEngine({ open: begin, idle, ...others })
  onTestFinished(async () => {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { engine, channels, history }
}

const browsers = (date: number, requests: number) =>
  dayOf(`2026-11-0${date}`, {
    all: null,
    total: { suspect: date },
    rows: [['A', requests, requests, 0, 0]],
  })

async function requestsOf(engine: Engine, tables: readonly StoredTable[]) {
  const computed = await engine.call('table', { tables, query: asked() })
  return computed.kind === 'lacking' ? computed : computed.figures.table.rows.map(({ cells }) => cells[0])
}

const internal = { failure: { kind: 'internal' } }
const cancelled = { failure: { kind: 'cancelled' } }

describe('the engine', () => {
  it('begins with the first call, and computes each kind of figures, several at a time', async () => {
    const { engine, channels } = start()
    expect(channels).toHaveLength(0)
    const [one, two] = [await written(engine, browsers(1, 5)), await written(engine, browsers(2, 7))]
    const query = asked()
    const lengths = { now: 1, before: 1 }
    const answers = await Promise.all([
      requestsOf(engine, [two, one]),
      trendFrom([one, two], query),
      engine.call('rowsOf', { tables: [one], query, labels: ['text A', 'text B'] }),
      engine.call('movers', { tables: [two], before: [one], lengths, query, header: 'Requests', max: 3 }),
    ])
    expect(answers).toEqual([
      [12],
      {
        kind: 'computed',
        figures: {
          days: ['2026-11-01', '2026-11-02'],
          series: [
            { header: 'Suspect', values: [1, 2] },
            { header: 'Non-Suspect', values: [null, null] },
          ],
        },
      },
      { kind: 'computed', figures: { headers: directHeaders, all: null, rows: [[5, 5, 0, 0], null] } },
      {
        kind: 'computed',
        figures: {
          ...{ by: 'count', min: 0, down: [] },
          up: [{ label: { kind: 'text', text: 'A' }, now: 7, before: 5 }],
        },
      },
    ])
    expect(channels).toHaveLength(1)
  })

  it('names the tables whose head cannot be read, or that have totals alone', async () => {
    const { engine } = start()
    const sound = await written(engine, browsers(1, 5))
    const broken = { ...(await written(engine, browsers(2, 1))), head: '{broken' }
    const alone = await written(
      engine,
      dayOf('2026-11-03', { whole: false, all: null, total: { suspect: 3 } }),
    )
    for (const table of [broken, alone])
      expect(await requestsOf(engine, [sound, table])).toEqual({
        kind: 'lacking',
        tables: [table.id],
        why: 'differs',
      })
    expect(await requestsOf(engine, [sound])).toEqual([5])
    const trend = trendFrom([alone], asked())
    expect(trend).toMatchObject({ kind: 'computed', figures: { days: ['2026-11-03'] } })
    expect(trendFrom([broken], asked())).toEqual({
      kind: 'lacking',
      tables: [broken.id],
      why: 'differs',
    })
  })

  it('ends when nothing is asked for a while, and begins again with the next call', async () => {
    const { engine, channels } = start({ idle: 0 })
    const table = await written(engine, browsers(1, 5))
    await new Promise((resolve) => channels[0]?.onEnd(resolve))
    expect(await requestsOf(engine, [table])).toEqual([5])
    expect(channels.length).toBeGreaterThan(1)
    const patient = start()
    const other = await written(patient.engine, browsers(1, 5))
    for (let time = 0; time < 3; time += 1) expect(await requestsOf(patient.engine, [other])).toEqual([5])
    expect(patient.channels).toHaveLength(1)
  })

  it('fails what was asked when it is killed, and answers the next call', async () => {
    const told: string[] = []
    const events = eventsTo(({ kind }) => told.push(kind))
    const { engine, channels } = start({ open: engineChildChannel, events })
    const table = await written(engine, browsers(1, 5))
    const waiting = requestsOf(engine, [table])
    const failing = expect(waiting).rejects.toMatchObject(internal)
    await Promise.resolve()
    channels[0]?.kill()
    await failing
    expect(told).toEqual(['worker/ended'])
    expect(await requestsOf(engine, [table])).toEqual([5])
    expect(channels).toHaveLength(2)
  })

  it('fails in words where it cannot begin, or what it is asked is a mistake; then goes on', async () => {
    const missing = start({ open: () => threadChannel(new URL('missing.ts', import.meta.url), {}) })
    const { engine } = start()
    const table = await written(engine, browsers(1, 5))
    await expect(requestsOf(missing.engine, [table])).rejects.toMatchObject(internal)
    await expect(requestsOf(engine, [])).rejects.toMatchObject(internal)
    await expect(requestsOf(engine, [table, table])).rejects.toMatchObject(internal)
    expect(await requestsOf(engine, [table])).toEqual([5])
  })

  it('finishes what it was asked when it is closed, and takes nothing more', async () => {
    const { engine } = start()
    const table = await written(engine, browsers(1, 5))
    const waiting = requestsOf(engine, [table])
    await Promise.resolve()
    await engine.close()
    expect(await waiting).toEqual([5])
    await expect(requestsOf(engine, [table])).rejects.toMatchObject(cancelled)
  })
})

describe('what is staged', () => {
  const id = newTableId()
  const page = { staging: id, columns: 4, rows: [rowOf(['A', 1, 1, 0, 0] satisfies Row)] }
  const range = { start: day('2026-11-01'), end: day('2026-11-01') }
  const about = { dataScope, subject: 'direct/browsers?', range, fetchedAt: 1_000 as Instant, doubt: null }
  const entry = { id, ...about, whole: true, rows: 2 }
  const table = {
    staging: id,
    stem: historyStemOf(entry, id),
    entry,
    headers: directHeaders,
    all: null,
    total: {},
  }

  it('and is not all there any more, because the engine began anew, is not written', async () => {
    const { engine, channels } = start({ open: engineChildChannel })
    await engine.call('stage', page)
    channels[0]?.kill()
    await vi.waitFor(() => engine.call('stage', page), 10_000)
    await expect(engine.call('write', table)).rejects.toMatchObject(internal)
    await engine.call('discard', id)
    for (let nth = 0; nth < 2; nth += 1) await engine.call('stage', page)
    await expect(engine.call('write', table)).resolves.toMatchObject({ file: { tables: 1 } })
  })

  it('has a name that means nothing in a statement', async () => {
    const { engine } = start()
    for (const staging of ['', 'x; DROP TABLE y', `${id}0`, 'ABCDEF0123456789'])
      await expect(engine.call('stage', { ...page, staging })).rejects.toMatchObject(internal)
  })
})

it('gives up a question that nobody waits for any more, and answers the next one', async () => {
  const { engine } = start()
  const table = await written(engine, browsers(1, 7))
  const controller = new AbortController()
  const given = engine.call('table', { tables: [table], query: asked() }, controller.signal)
  controller.abort()
  await expect(given).rejects.toMatchObject(cancelled)
  expect(await requestsOf(engine, [table])).toEqual([7])
})
