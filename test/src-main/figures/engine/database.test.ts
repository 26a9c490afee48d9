import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
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
