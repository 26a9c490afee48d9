import { svelte } from '@sveltejs/vite-plugin-svelte'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'
import type { InlineConfig } from 'vite'
import { deskFolder, temporaryFolder } from '../measure/desk.ts'

const plain: InlineConfig = { configFile: false, logLevel: 'error' }

/** Builds the page on which the tables are measured, as the product is built; the folder of an app that shows it. */
export async function buildTableApp(): Promise<string> {
  const folder = temporaryFolder('table')
  await build({
    ...plain,
    root: resolve(import.meta.dirname, 'page'),
    base: './',
    plugins: [svelte({ configFile: join(deskFolder, 'svelte.config.js') })],
    build: {
      outDir: join(folder, 'page'),
      target: 'chrome130',
      minify: true,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: Infinity,
    },
  })
  await build({
    ...plain,
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'node20.18',
      ssr: resolve(import.meta.dirname, 'app/main.ts'),
      rolldownOptions: {
        external: ['electron'],
        output: { format: 'cjs', entryFileNames: 'main.cjs' },
      },
    },
  })
  copyFileSync(join(deskFolder, 'out/preload/index.cjs'), join(folder, 'preload.cjs'))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'table-bench', version: '1.0.0', main: 'main.cjs' }),
  )
  return folder
}
