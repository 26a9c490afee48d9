/**
 * The app's entry. Loads the main process's scripts by V8's code cache where one lies beside them
 * (scripts/setup/code-cache.mjs), which spares compiling them at every start. V8 rejects one made by another Electron;
 * the scripts are then compiled as usual.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire, Module } from 'node:module'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'

/** A CommonJS module, as far as bundled scripts use it. */
type Loaded = { exports: unknown }
type Require = (id: string) => unknown
type Body = (exports: unknown, require: Require, module: Loaded, path: string, folder: string) => void

const folder = import.meta.dirname
const cacheFolder = join(
  folder,
  'code-cache',
  `${process.versions.electron}-${process.platform}-${process.arch}`,
)
const requirePackage = createRequire(import.meta.filename)
const loaded = new Map<string, Loaded>()

/** @param name relative to the folder of scripts */
function load(name: string): unknown {
  const known = loaded.get(name)
  if (known) return known.exports
  const path = join(folder, name)
  const cache = join(cacheFolder, name)
  const script = new Script(Module.wrap(readFileSync(path, 'utf8')), {
    filename: path,
    ...(existsSync(cache) ? { cachedData: readFileSync(cache) } : {}),
  })
  const body: Body = script.runInThisContext()
  const module: Loaded = { exports: {} }
  loaded.set(name, module)
  const require = (id: string) => (id.startsWith('.') ? load(join(dirname(name), id)) : requirePackage(id))
  body(module.exports, require, module, path, dirname(path))
  return module.exports
}

load('index.cjs')
