import { join } from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'electron-vite'
import type { Plugin, Rolldown } from 'vite'
import { guideChapters } from './scripts/guide/markdown.mjs'
import { sourceFrom } from './src-main/updates/source.ts'

/**
 * Only what carries native code stays outside the bundles; everything else is bundled, because one file loads
 * faster than several hundred.
 */
const native = ['electron', 'better-sqlite3', 'keytar', '@duckdb/node-bindings']

const escaped = (code: string) =>
  code.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * Letters outside of ASCII are written as escapes: a script with a single one of them is kept in memory at two bytes a
 * letter, for as long as the app runs.
 */
const inAscii: Plugin = {
  name: 'in-ascii',
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = escaped(file.code)
  },
}

/** As short as can be, since all of it is parsed at the start; names that the log shows stay. */
const lean = {
  compress: true,
  mangle: { toplevel: true, keepNames: { function: true, class: true } },
  codegen: { removeWhitespace: true },
} as const

/**
 * What the window loads before its first view, as one file: each one more is a request that the main process answers
 * while it is busiest. What a view loads later stays apart.
 */
function firstView(): (id: string, graph: Rolldown.ChunkingContext) => string | null {
  const first = new Set<string>()
  return (id, graph) => {
    const add = (each: string) => {
      if (first.has(each)) return
      first.add(each)
      graph.getModuleInfo(each)?.importedIds.forEach(add)
    }
    if (first.size === 0) add(join(import.meta.dirname, 'src-renderer', 'main.ts'))
    return first.has(id) ? 'window' : null
  }
}

export default defineConfig({
  main: {
    plugins: [inAscii],
    // Without a feed in the environment the app looks for no updates.
    define: { BUILT_IN_UPDATES: JSON.stringify(sourceFrom(process.env)) },
    build: {
      target: 'node20.18',
      outDir: 'out/main',
      externalizeDeps: false,
      rollupOptions: {
        input: {
          start: 'src-main/start.ts',
          index: 'src-main/index.ts',
          'store-worker': 'src-main/database/store-worker.ts',
          'backup-worker': 'src-main/backup/backup-worker.ts',
          'answer-worker': 'src-main/api/large/answer-worker.ts',
          'sandbox-worker': 'src-main/sandbox/worker.ts',
          'engine-process': 'src-main/engine-process.ts',
          'export-worker': 'src-main/exports/export-worker.ts',
          'archive-worker': 'src-main/raw/downloads/archive-worker.ts',
        },
        external: native,
        output: { format: 'cjs', entryFileNames: '[name].cjs', minify: lean },
      },
    },
  },
  preload: {
    build: {
      target: 'node20.18',
      outDir: 'out/preload',
      externalizeDeps: false,
      rollupOptions: {
        input: { index: 'src-preload/index.ts' },
        external: native,
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src-renderer',
    base: './',
    plugins: [guideChapters(), svelte({ configFile: '../svelte.config.js' })],
    build: {
      target: 'chrome130',
      outDir: 'out/renderer',
      minify: true,
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rollupOptions: {
        input: { index: 'src-renderer/index.html', safe: 'src-renderer/safe.html' },
        output: { codeSplitting: { groups: [{ name: firstView(), debugName: 'first view' }] } },
      },
    },
  },
})
