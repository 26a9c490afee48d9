import { svelte } from '@sveltejs/vite-plugin-svelte'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'
import { deskFolder, temporaryFolder } from '../measure/desk.ts'

/** The app around the page: one window of the usual size, with the page in it. */
const main = `const { app, BrowserWindow } = require('electron')
app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1280, height: 800, webPreferences: { sandbox: true } })
  window.loadFile(require('node:path').join(__dirname, 'page', 'index.html'))
})
app.on('window-all-closed', () => app.quit())
`

/** Builds the page on which the tables are measured, as the product is built; the folder of an app that shows it. */
export async function buildTablePage(): Promise<string> {
  const folder = temporaryFolder('table')
  await build({
    configFile: false,
    root: resolve(import.meta.dirname, 'page'),
    base: './',
    logLevel: 'error',
    plugins: [svelte({ configFile: join(deskFolder, 'svelte.config.js') })],
    build: {
      outDir: join(folder, 'page'),
      target: 'chrome130',
      minify: true,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: Infinity,
    },
  })
  writeFileSync(join(folder, 'main.cjs'), main)
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'table-bench', version: '1.0.0', main: 'main.cjs' }),
  )
  return folder
}
