/**
 * Loaded into the main process before the app: writes V8's code cache of the scripts that start it, with the functions that
 * ran until its window stood, and ends it. All others are compiled when they first run, as ever.
 */
const { mkdirSync, writeFileSync } = require('node:fs')
const { dirname, join, relative } = require('node:path')
const vm = require('node:vm')
const { app } = require('electron')

/** In ms. Without a window there is nothing to learn from. */
const longestStart = 60_000
const { from = '', to = '' } = JSON.parse(process.env['TRAFFIC_DESK_CODE_CACHE'] ?? '{}')

/** @type {Map<string, vm.Script>} */
const scripts = new Map()
vm.Script = class extends vm.Script {
  /** @param {ConstructorParameters<typeof vm.Script>} given */
  constructor(...given) {
    super(...given)
    const options = given[1]
    if (typeof options === 'object' && options.filename) scripts.set(relative(from, options.filename), this)
  }
}

setTimeout(() => app.exit(1), longestStart).unref()
app.once('browser-window-created', (_, window) => window.once('show', () => app.quit()))
process.once('exit', () => {
  for (const [name, script] of scripts) {
    mkdirSync(dirname(join(to, name)), { recursive: true })
    writeFileSync(join(to, name), script.createCachedData())
  }
})
