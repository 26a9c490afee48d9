import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hiveReaders } from '../../scripts/lint/file-readers.mjs'

describe('a statement that reads files', () => {
  it.each([
    'SELECT * FROM read_parquet($place, hive_partitioning = false)',
    'SELECT * FROM read_parquet(list(a, f(b)), hive_partitioning=FALSE) WHERE (x)',
    'SELECT decode(value) FROM parquet_kv_metadata($place)',
    'no_read_parquet',
  ])('may be %s', (sql) => expect(hiveReaders(sql)).toEqual([]))

  it.each([
    'SELECT * FROM read_parquet($place)',
    'SELECT * FROM READ_PARQUET (?::VARCHAR[]) -- hive_partitioning = false',
    'SELECT * FROM read_parquet(f(x), file_row_number = true)',
    'SELECT * FROM read_csv($p, hive_partitioning = true)',
    'SELECT * FROM read_csv_auto($p), read_csv($p, hive_partitioning = false)',
    'SELECT * FROM read_parquet($place',
  ])('may not be %s', (sql) => expect(hiveReaders(sql)).toHaveLength(1))

  it('is found by the linter in texts and templates', () => {
    const root = resolve(import.meta.dirname, '../..')
    const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-lint-'))
    try {
      const jsPlugins = [join(root, 'scripts/lint/modules.mjs')]
      const config = {
        jsPlugins,
        categories: { correctness: 'off' },
        rules: { 'desk/file-readers': 'error' },
      }
      writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config))
      const lines = [
        "export const one = 'FROM read_parquet($p)'",
        'export const two = (p: string) => `FROM read_parquet(${p}, file_row_number = true)`',
        'export const three = (p: string) => `FROM read_parquet(${p}, hive_partitioning = false)`',
      ]
      writeFileSync(join(folder, 'index.ts'), lines.join('\n'))
      const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
      const { stdout } = spawnSync(process.execPath, [oxlint, '--format', 'unix'], {
        cwd: folder,
        encoding: 'utf8',
      })
      expect([...stdout.matchAll(/index\.ts:(\d+):\d+: read_parquet/g)].map(([, line]) => line)).toEqual([
        '1',
        '2',
      ])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
