import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'electron-vite'

/**
 * Only what carries native code stays outside the bundles; everything else is bundled, because one file loads
 * faster than several hundred.
 */
const native = ['electron', 'better-sqlite3', 'keytar']

export default defineConfig({
  main: {
    build: {
      target: 'node20.18',
      outDir: 'out/main',
      externalizeDeps: false,
      rollupOptions: {
        input: {
          index: 'src-main/index.ts',
          'store-worker': 'src-main/store/worker.ts',
          'sandbox-worker': 'src-main/sandbox/worker.ts',
          'reckon-worker': 'src-main/reports/reckon/worker.ts',
          'export-worker': 'src-main/exports/worker.ts',
          'archive-worker': 'src-main/raw/downloads/worker.ts',
        },
        external: native,
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
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
    plugins: [svelte({ configFile: '../svelte.config.js' })],
    build: {
      target: 'chrome130',
      outDir: 'out/renderer',
      minify: true,
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rollupOptions: { input: 'src-renderer/index.html' },
    },
  },
})
