import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { causeOfEngine, openEngine } from '#main/analytics/engine-database.ts'
import { failureOf } from '#shared/api/failure.ts'
import { openLog } from '#main/shell/log.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { openRowsDesk, rowsOf } from '#test/src-main/archives/helpers.ts'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'
import { engineForTest } from '../reports/engine/engine-thread.ts'
import { asked, dayOf, written } from '../reports/engine/tables.ts'

it('holds nothing of files that others have replaced', async () => {
  const history = temporaryFolder()
  const database = await openEngine({ history, temporary: temporaryFolder() })
  onTestFinished(() => database.close())
  for (let version = 1; version <= 20; version += 1) {
    const file = join(history, `${version}.parquet`)
    await database.columns(`COPY (SELECT range AS n FROM range(1000)) TO '${file}' (FORMAT parquet)`)
    expect(await database.columns(`SELECT sum(n)::INT FROM read_parquet('${file}')`)).toEqual([[499_500]])
    rmSync(file)
  }
  const [[held] = []] = await database.columns('SELECT sum(memory_usage_bytes)::INT FROM duckdb_memory()')
  expect(held).toBe(0)
})

// Elsewhere the system's own allocator serves it.
it.runIf(process.platform === 'linux')(
  'gives back what a question took though nothing more is asked',
  async () => {
    const database = await openEngine({ history: temporaryFolder(), temporary: temporaryFolder() })
    onTestFinished(() => database.close())
    await database.columns(
      "SELECT count(*) FROM (SELECT max('text ' || range) FROM range(600000) GROUP BY range)",
    )
    const { rss } = process.memoryUsage()
    const givenBack = () => (rss - process.memoryUsage().rss) / 2 ** 20
    await expect.poll(givenBack).toBeGreaterThan(20)
  },
)

describe('a statement that is given up', () => {
  const opened = async () => {
    const database = await openEngine({ history: temporaryFolder(), temporary: temporaryFolder() })
    onTestFinished(() => database.close())
    return database
  }
  const cancelled = { failure: { kind: 'cancelled' } }
  const endless = 'SELECT sum(one.range * other.range) FROM range(1000000000) one, range(1000000000) other'
  /** Far more than fits: it is sorted in the temporary folder. */
  const spilling = `SELECT hash(range) AS h, 'some more text ' || range FROM range(2000000000) ORDER BY h`
  const spilled = ({ temporary }: { temporary: string }) =>
    existsSync(temporary) ? readdirSync(temporary) : []

  it('ends within a second, and the next one of its connection is answered', async () => {
    const database = await opened()
    const controller = new AbortController()
    const asked = database.until(controller.signal).columns(endless)
    const [others, moment] = [database.columns('SELECT 1'), performance.now()]
    expect(await others).toEqual([[1]])
    controller.abort()
    await expect(asked).rejects.toMatchObject(cancelled)
    expect(performance.now() - moment).toBeLessThan(1000)
    expect(await database.columns('SELECT 2')).toEqual([[2]])
  })

  it('ends even where that is said in the moment in which it begins', async () => {
    const database = await opened()
    for (let turn = 0; turn < 20; turn += 1) {
      const controller = new AbortController()
      const asked = database.until(controller.signal).columns(endless)
      if (turn % 2 === 0) await Promise.resolve()
      controller.abort()
      await expect(asked).rejects.toMatchObject(cancelled)
    }
    await expect(database.until(AbortSignal.abort()).columns('SELECT 1')).rejects.toMatchObject(cancelled)
  })

  it('leaves nothing in the temporary folder', async () => {
    const database = await opened()
    const controller = new AbortController()
    const asked = database.until(controller.signal).columns(spilling)
    await expect.poll(() => spilled(database)).not.toEqual([])
    controller.abort()
    await expect(asked).rejects.toMatchObject(cancelled)
    await expect.poll(() => spilled(database), { timeout: 1000 }).toEqual([])
  })
})

describe('what the engine refuses', () => {
  it.each([
    ['SELECT acme FROM range(3)', 'Binder Error: Referenced column "…" not found in FROM clause!'],
    ["SELECT 'acme-001'::INT", "Conversion Error: Could not convert string '…' to INT32"],
    ["SELECT 'it''s acme'::INT", "Conversion Error: Could not convert string '…' to INT32"],
    ["SELECT ('a' || chr(10) || 'acme')::INT", "Conversion Error: Could not convert string '…"],
    ['SELECT 1 FROM read_parquet($place)', 'IO Error: No files found that match the pattern "…"'],
  ])('is told by its own words, and not by what they quote: %s', async (sql, words) => {
    const history = temporaryFolder()
    const database = await openEngine({ history, temporary: temporaryFolder() })
    onTestFinished(() => database.close())
    const bound = sql.includes('$') ? { place: join(history, 'acme.parquet') } : {}
    const refusal = await database.columns(sql, bound).catch((error: unknown) => error)
    const told = refusal instanceof Error ? causeOfEngine(refusal) : ''
    expect(told.split('\n')[0]).toBe(`Error: ${words}`)
    expect(told).not.toContain('acme')
  })

  it('for want of memory is told in plain words, and in its own to the log alone', async () => {
    const limits = { memory_limit: '10MB', threads: '1' }
    const database = await openEngine({ history: temporaryFolder(), temporary: temporaryFolder() }, limits)
    onTestFinished(() => database.close())
    const refusal = await database
      .columns('SELECT list(range) FROM range(10000000)')
      .catch((error: unknown) => error)
    expect(failureOf(refusal)).toEqual({
      kind: 'internal',
      message: 'This needs too much memory. Choose fewer days, rows or columns.',
    })
    expect(refusal instanceof Error ? causeOfEngine(refusal) : '').toMatch(
      /^OutOfMemory: Out of Memory Error/,
    )
  })

  /** What stands in the log of a failure. */
  async function logged(failing: Promise<unknown>): Promise<string> {
    const file = join(temporaryFolder(), 'desk.log')
    const log = openLog(file)
    log('bridge', 'reports/ask failed', await failing.catch((error: unknown) => error))
    await log.written()
    return readFileSync(file, 'utf8')
  }

  it('reaches the log from the engine of figures', async () => {
    const { engine } = engineForTest()
    const table = await written(engine, dayOf('2026-11-01', { rows: [['A', 1, 1, 0, 0]] }))
    const odd = { ...table, head: table.head.replace('"non_suspect"', '"rule_gone"') }
    const text = await logged(engine.call('table', { tables: [odd], query: asked() }))
    expect(text).toContain('Something went wrong inside')
    expect(text).toMatch(/caused by Error: Binder Error: .*not found in FROM clause/)
  })

  it('reaches the log from the engine of rows', async () => {
    const desk = openRowsDesk()
    const file = await desk.importArchive('A,B\n1,2\n')
    const columns = file.columns.map((column) => ({ ...column, stored: `${column.stored}_gone` }))
    const odd: RowsEntry = { ...file, columns }
    const text = await logged(
      desk.engine.call('page', { ...rowsOf([odd]), offset: 0, limit: 5, columns: [] }),
    )
    expect(text).toMatch(/caused by Error: Binder Error: .*not found in FROM clause/)
  })
})
