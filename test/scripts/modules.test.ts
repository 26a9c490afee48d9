import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../scripts/lint/modules.mjs'

describe('the rules between modules', () => {
  it.each([
    ['src-renderer/views/reports/Reports.svelte', '#shared/reports/query.ts'],
    ['src-renderer/main.ts', 'svelte'],
    ['src-renderer/components/chart/chart.ts', 'chart.js/auto'],
    ['src-main/api/transport.ts', 'undici'],
    ['src-main/api/decode/table.ts', '../text.ts'],
    ['src-main/sandbox/control/state.ts', '../raw/reports.ts'],
    ['src-main/shell/window.ts', 'electron'],
    ['src-main/index.ts', './bridge/gateway.ts'],
    ['src-main/database/store-session.ts', './cache/cache-file.ts'],
    ['src-main/database/cache/cache-file.ts', '../sqlite/open-file.ts'],
    ['test/src-main/database/open.test.ts', '#main/database/open.ts'],
  ])('lets %s import %s', (file, specifier) => {
    expect(refusal(file, specifier)).toBeUndefined()
  })

  it.each([
    ['src-renderer/main.ts', '#main/database/open.ts'],
    ['src-renderer/main.ts', 'electron'],
    ['src-shared/values/day.ts', 'node:path'],
    ['src-shared/reports/query.ts', '#main/reports/report-desk.ts'],
    ['src-main/api/transport.ts', '#main/database/open.ts'],
    ['src-main/api/transport.ts', 'better-sqlite3'],
    ['src-main/api/transport.ts', 'electron'],
    ['src-main/database/state/copies.ts', '#main/api/decode/json.ts'],
    ['src-main/database/state/copies.ts', '../cache/cache-schema.ts'],
    ['src-main/database/cache/cache-file.ts', '../open-store.ts'],
    ['src-main/accounts/roster.ts', '../database/open-store.ts'],
    ['src-main/database/sqlite/open-file.ts', '../state/schema.ts'],
    ['src-main/reports/report-desk.ts', '../bridge/gateway.ts'],
    ['src-main/reports/report-desk.ts', 'electron'],
    ['src-main/sandbox/sandbox.ts', '../api/text.ts'],
    ['src-preload/index.ts', 'valibot'],
  ])('refuses %s the import of %s', (file, specifier) => {
    expect(refusal(file, specifier)).toMatch(/may not import/)
  })

  // In a folder of its own, for the linter takes a module by where it lies.
  it('are asked of every kind of import', () => {
    const root = resolve(import.meta.dirname, '../..')
    const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-lint-'))
    try {
      const jsPlugins = [join(root, 'scripts/lint/modules.mjs')]
      const config = { jsPlugins, categories: { correctness: 'off' }, rules: { 'desk/modules': 'error' } }
      writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config))
      const imports = [
        "import 'valibot'",
        "import type { GenericSchema } from 'valibot'",
        "export { parse } from 'valibot'",
        "export * from 'valibot'",
        "export const later = () => import('valibot')",
      ]
      mkdirSync(join(folder, 'src-preload'))
      writeFileSync(join(folder, 'src-preload', 'index.ts'), ["import 'electron'", ...imports].join('\n'))
      const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
      const { stdout } = spawnSync(process.execPath, [oxlint, '--format', 'unix'], {
        cwd: folder,
        encoding: 'utf8',
      })
      const lines = [...stdout.matchAll(/index\.ts:(\d+):\d+: src-preload may not import/g)].map(
        ([, line]) => line,
      )
      expect(lines).toEqual(['2', '3', '4', '5', '6'])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
