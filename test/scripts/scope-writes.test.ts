import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

/** Each a function; those marked with `!` are refused. */
const functions = [
  'async (a, b) => { const dataScope = a.dataScopeOf(1); await b(dataScope) }',
  '! async (a, b) => { await b(); b(a.dataScopeOf(1)) }',
  '! async (a, b) => { const found = await b(); return { found, ...a.scopeTermOf(1) } }',
  '! async (a, b) => { for (const each of await b()) b(each, a.standingOf(1)) }',
  'async (a, b) => { const dataScope = a.dataScopeOf(1); await b(); if (a.dataScopeOf(1) !== dataScope) throw b }',
  'async (a, b) => { await b(); b(() => a.dataScopeOf(1)) }',
  'async (a, b) => b({ dataScope: a.dataScopeOf(1), more: await b() })',
  '! (a, b) => b().then(() => b(a.dataScopeOf(1)))',
  '! async (a, parts) => { const dataScope = a.dataScopeOf(1); await parts.answers.save({ dataScope }) }',
  "! (a, store) => { const dataScope = a.dataScopeOf(1); store.run('tables/keep', { dataScope }) }",
  "(a, store) => { const dataScope = a.dataScopeOf(1); store.run('tables/list', { dataScope }) }",
  'async (a, answers) => { const dataScope = a.dataScopeOf(1); await a.dataScopeClient(1, dataScope); answers.save({ dataScope }) }',
  'async (scope, answers) => { await answers.save({ ...scope }) }',
]

it('figures are written under no scope that was asked for later', () => {
  const root = resolve(import.meta.dirname, '../..')
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-lint-'))
  try {
    const config = {
      jsPlugins: [join(root, 'scripts/lint/modules.mjs')],
      categories: { correctness: 'off' },
      rules: { 'desk/scope-writes': 'error' },
    }
    writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config))
    const lines = functions.map((each, place) => `export const f${place}: any = ${each.replace('! ', '')}`)
    writeFileSync(join(folder, 'index.ts'), lines.join('\n'))
    const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
    const { stdout } = spawnSync(process.execPath, [oxlint, '--format', 'unix'], {
      cwd: folder,
      encoding: 'utf8',
    })
    const found = new Set([...stdout.matchAll(/index\.ts:(\d+):/g)].map(([, line]) => Number(line) - 1))
    expect([...found]).toEqual(functions.flatMap((each, place) => (each.startsWith('!') ? [place] : [])))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
