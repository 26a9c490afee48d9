import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEngine } from '#main/analytics/engine-database.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'

const root = mkdtempSync(join(tmpdir(), 'traffic-desk-locked-'))
const history = join(root, 'history')
const temporary = join(root, 'work')
const outside = join(root, 'outside')
let database: EngineDatabase

beforeAll(async () => {
  mkdirSync(outside)
  mkdirSync(temporary)
  writeFileSync(join(outside, 'secret.csv'), 'a\n1\n')
  writeFileSync(join(temporary, 'duckdb_temp_storage_DEFAULT-0.tmp'), 'left over')
  database = await openEngine({ history, temporary })
  await database.columns(`COPY (SELECT 1 AS a) TO '${history}/one.parquet' (FORMAT parquet)`)
  symlinkSync(outside, join(history, 'link'))
  symlinkSync(join(outside, 'secret.csv'), join(history, 'secret.csv'))
})
afterAll(() => {
  database.close()
  rmSync(root, { recursive: true, force: true })
})

describe('the engine', () => {
  it('reads and writes in the history folder', async () => {
    expect(await database.columns(`SELECT a FROM read_parquet('${history}/one.parquet')`)).toEqual([[1]])
  })

  it.each([
    ['a file outside', `SELECT * FROM read_csv('${outside}/secret.csv')`],
    ['what a machine has', `SELECT * FROM read_text('/etc/passwd')`],
    ['a path that leads out', `SELECT * FROM read_csv('${history}/../outside/secret.csv')`],
    ['a link to a file outside', `SELECT * FROM read_csv('${history}/secret.csv')`],
    ['a link to a folder outside', `SELECT * FROM read_csv('${history}/link/secret.csv')`],
    ['names outside', `SELECT * FROM glob('${outside}/*')`],
    ['the network', `SELECT * FROM read_parquet('https://example.invalid/x.parquet')`],
    ['a database outside', `ATTACH '${outside}/other.db' AS other`],
  ])('does not reach %s', async (_, sql) => {
    await expect(database.columns(sql)).rejects.toThrow(/disabled by configuration/)
  })

  it.each([
    ['beside the folder', () => `${outside}/new.parquet`],
    ['where a path leads out', () => `${history}/../outside/new.parquet`],
    ['through a link', () => `${history}/link/new.parquet`],
    ['in a folder whose name begins alike', () => `${history}2/new.parquet`],
  ])('does not write %s', async (_, place) => {
    await expect(database.columns(`COPY (SELECT 1 AS a) TO '${place()}' (FORMAT parquet)`)).rejects.toThrow(
      /disabled by configuration/,
    )
    expect(readdirSync(outside)).toEqual(['secret.csv'])
  })

  it.each([
    `SET memory_limit = '4GB'`,
    `SET threads = 64`,
    `SET enable_external_access = true`,
    `SET allowed_directories = ['/']`,
    `SET temp_directory = '/tmp'`,
    `SET lock_configuration = false`,
    `RESET memory_limit`,
    `PRAGMA memory_limit = '4GB'`,
    `INSTALL httpfs`,
    `LOAD httpfs`,
    `LOAD '${history}/mine.duckdb_extension'`,
  ])('refuses %s, on every connection', async (sql) => {
    await expect(database.columns(sql)).rejects.toThrow(/locked|disabled/)
    const refused = () => database.using((session) => session.rows(sql))
    await Promise.all([1, 2, 3, 4].map(() => expect(refused()).rejects.toThrow(/locked|disabled/)))
  })

  it('takes no more memory than it was given, and writes the rest into its own folder', async () => {
    const [limit, threads] = await database.columns(
      `SELECT current_setting('memory_limit'), current_setting('threads')`,
    )
    // DuckDB counts in MiB: 128,000,000 bytes.
    expect([limit, threads].map((values) => String(values?.[0]))).toEqual(['122.0 MiB', '2'])
    await database.columns(
      `CREATE TABLE big AS SELECT md5(range::VARCHAR) || md5((range + 1)::VARCHAR) AS text FROM range(2_500_000)`,
    )
    const left = readdirSync(temporary, { recursive: true, encoding: 'utf8' })
    expect(left.some((name) => basename(name).startsWith('duckdb_temp_'))).toBe(true)
    expect(readdirSync(root).sort()).toEqual(['history', 'outside', 'work'])
    await database.columns('DROP TABLE big')
  }, 60_000)

  it('reaches a file that is named to it, also through a link in its own folder, and none beside that', async () => {
    const work = join(root, 'work-besides')
    const own = join(work, 'own')
    mkdirSync(own, { recursive: true })
    const [named, beside] = [join(outside, 'secret.csv'), join(root, 'beside.csv')]
    writeFileSync(beside, 'a\n2\n')
    symlinkSync(named, join(own, 'table.csv'))
    const limits = { memory_limit: '64MB', threads: '1' }
    const other = await openEngine({ history, temporary: work }, limits, own, [named])
    for (const path of [named, join(own, 'table.csv')])
      expect(await other.columns('SELECT * FROM read_csv($path)', { path })).toEqual([[1n]])
    await expect(other.columns('SELECT * FROM read_csv($path)', { path: beside })).rejects.toThrow(
      /disabled by configuration/,
    )
    other.close()
  })

  it('removes from its temporary folder what one left that was killed, and nothing of one that runs', async () => {
    const work = join(root, 'other-work')
    mkdirSync(work)
    const running = `engine-${process.pid}-0123abcd`
    const killed = `engine-${spawnSync(process.execPath, ['-v']).pid}-0123abcd`
    for (const folder of [running, killed]) mkdirSync(join(work, folder))
    for (const name of [
      'duckdb_temp_storage_DEFAULT-0.tmp',
      'not-ours.txt',
      join(running, 'x'),
      join(killed, 'x'),
    ])
      writeFileSync(join(work, name), 'x')
    const other = await openEngine({ history: join(root, 'other-history'), temporary: work })
    expect(readdirSync(work).sort()).toEqual([running, 'not-ours.txt'])
    other.close()
    expect(existsSync(join(root, 'other-history'))).toBe(true)
  })
})
