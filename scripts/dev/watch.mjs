/**
 * Builds whatever changes, and brings it into the app: `watch.mjs <Electron> [argument …]`. It ends when a person ends the app.
 */
import { mergeConfig, resolveConfig } from 'electron-vite'
import { build } from 'vite'
import { main } from '../common/failure.mjs'
import { ended, start, stop, stopAll } from '../common/processes.mjs'
import { say } from '../common/say.mjs'

const PARTS = /** @type {const} */ (['main', 'preload', 'renderer'])
const [executable = '', ...args] = process.argv.slice(2)

/** Parts that were built since the app got the last ones. @type {Set<string>} */
const builtParts = new Set()
/** @type {import('node:child_process').ChildProcess | undefined} */
let app
/** Where the app's debugger listens, once it has said so. */
let debuggerAddress = ''
let update = Promise.resolve()

function open() {
  const child = start(executable, args, { stdio: ['ignore', 'inherit', 'pipe'] })
  child.stderr?.on('data', (/** @type {Buffer} */ words) => {
    process.stderr.write(words)
    debuggerAddress = /DevTools listening on ws:\/\/([^/]+)/.exec(words.toString())?.[1] ?? debuggerAddress
  })
  void ended(child).then((code) => (child === app ? leave(code) : undefined))
  app = child
}

async function bringIn() {
  if (app === undefined && builtParts.size < PARTS.length) return
  const onlyWindow = app !== undefined && !builtParts.has('main') && !builtParts.has('preload')
  builtParts.clear()
  if (onlyWindow) return reload()
  const last = app
  app = undefined
  if (last !== undefined) await stop(last)
  say(last === undefined ? 'Opening the app.' : 'Restarting the app.')
  open()
}

/** Reloads every window, by the protocol of Chromium's debugger. */
async function reload() {
  say('Reloading the window.')
  const answer = await fetch(`http://${debuggerAddress}/json/list`)
  const targets = /** @type {readonly { type: string, webSocketDebuggerUrl: string }[]} */ (
    await answer.json()
  )
  for (const { type, webSocketDebuggerUrl } of targets) {
    if (type !== 'page') continue
    const socket = new WebSocket(webSocketDebuggerUrl)
    socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: 'Page.reload' }))
    socket.onmessage = () => socket.close()
  }
}

/** @param {number} code */
async function leave(code) {
  await stopAll()
  process.exit(code)
}

/**
 * Builds a part again whenever its sources change, with names and lines for a debugger.
 *
 * @param {typeof PARTS[number]} part
 * @param {import('vite').UserConfig} config
 */
async function keepBuilding(part, config) {
  const closeBundle = () => {
    builtParts.add(part)
    update = update.then(bringIn).catch((error) => say(String(error)))
  }
  const forDebugger = { watch: {}, sourcemap: true, minify: false, emptyOutDir: false }
  const readable = part === 'main' ? { rollupOptions: { output: { minify: false } } } : {}
  const plugins = [{ name: 'bring-into-the-app', closeBundle }]
  await build(mergeConfig(config, { plugins, build: { ...forDebugger, ...readable } }))
}

await main(async () => {
  process.env['NODE_ENV_ELECTRON_VITE'] = 'production'
  const { config } = await resolveConfig({}, 'build', 'production')
  for (const part of PARTS) await keepBuilding(part, config?.[part] ?? {})
  return new Promise(() => {})
})
