/**
 * Loaded into the main process before the app: writes V8's code cache of the scripts that load until the window is shown, then
 * quits. The cache holds the functions that ran; others are compiled on their first call.
 */
const { mkdirSync, writeFileSync } = require('node:fs')
const { dirname, join, relative } = require('node:path')
const vm = require('node:vm')
const { app } = require('electron')

/** Limit for the window to appear, in ms. */
const longestStart = 60_000
const { from = '', to = '' } = JSON.parse(process.env['TRAFFIC_DESK_CODE_CACHE'] ?? '{}')

/** @type {Map<string, vm.Script>} */
const scripts = new Map()
vm.Script = class extends vm.Script {
  /** @param {ConstructorParameters<typeof vm.Script>} args */
  constructor(...args) {
    super(...args)
    const [, options] = args
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
