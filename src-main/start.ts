/**
 * The app's entry. Loads the scripts of the main process with V8's code cache (scripts/setup/code-cache.mjs), so that they need
 * not be compiled at every start. Without a cache, or if V8 rejects it, they are compiled as usual.
 */
import { readFileSync } from 'node:fs'
import { createRequire, Module } from 'node:module'
import { dirname, join } from 'node:path'
import { constants, Script } from 'node:vm'

/** A CommonJS module, as far as bundled scripts use it. */
type LoadedModule = { exports: unknown }
type Require = (id: string) => unknown
type Body = (exports: unknown, require: Require, module: LoadedModule, path: string, folder: string) => void

const folder = import.meta.dirname
const cacheFolder = join(
  folder,
  'code-cache',
  `${process.versions.electron}-${process.platform}-${process.arch}`,
)
const requirePackage = createRequire(import.meta.filename)
const modules = new Map<string, LoadedModule>()

/** @param name relative to the folder of scripts */
function load(name: string): unknown {
  const loaded = modules.get(name)
  if (loaded) return loaded.exports
  const path = join(folder, name)
  const script = new Script(Module.wrap(readFileSync(path, 'utf8')), {
    filename: path,
    cachedData: cacheOf(name),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const body: Body = script.runInThisContext()
  const module: LoadedModule = { exports: {} }
  modules.set(name, module)
  const require = (id: string) => (id.startsWith('.') ? load(join(dirname(name), id)) : requirePackage(id))
  try {
    body(module.exports, require, module, path, dirname(path))
  } catch (error) {
    // A later attempt starts anew, as with Node's own loader.
    modules.delete(name)
    throw error
  }
  return module.exports
}

/** The start does not depend on the cache: one that is missing or unreadable is undefined. */
function cacheOf(name: string): Buffer | undefined {
  try {
    return readFileSync(join(cacheFolder, name))
  } catch {
    return undefined
  }
}

load('index.cjs')
