import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEngine } from '../../../../src-main/figures/engine/database.ts'
import { temporaryFolder } from '../../store/helpers.ts'

it('holds nothing of files that others have replaced', async () => {
  const history = temporaryFolder()
  const { columns, close } = await openEngine({ history, temporary: temporaryFolder() })
  onTestFinished(close)
  for (let version = 1; version <= 20; version += 1) {
    const file = join(history, `${version}.parquet`)
    await columns(`COPY (SELECT range AS n FROM range(1000)) TO '${file}' (FORMAT parquet)`)
    expect(await columns(`SELECT sum(n)::INT FROM read_parquet('${file}')`)).toEqual([[499_500]])
    rmSync(file)
  }
  const [[held] = []] = await columns('SELECT sum(memory_usage_bytes)::INT FROM duckdb_memory()')
  expect(held).toBe(0)
})

// Elsewhere the system's own allocator serves it.
it.runIf(process.platform === 'linux')(
  'gives back what a question took though nothing more is asked',
  async () => {
    const { columns, close } = await openEngine({ history: temporaryFolder(), temporary: temporaryFolder() })
    onTestFinished(close)
    await columns("SELECT count(*) FROM (SELECT max('text ' || range) FROM range(600000) GROUP BY range)")
    const { rss } = process.memoryUsage()
    const givenBack = () => (rss - process.memoryUsage().rss) / 2 ** 20
    await expect.poll(givenBack).toBeGreaterThan(20)
  },
)

describe('a statement that is given up', () => {
  const opened = async () => {
    const database = await openEngine({ history: temporaryFolder(), temporary: temporaryFolder() })
    onTestFinished(database.close)
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
