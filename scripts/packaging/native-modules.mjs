import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { inCheckout } from '../common/checkout.mjs'

/**
 * @typedef {import('../runtime/choose.mjs').Runtime} Runtime
 * @typedef {{ name: string, from: string, parts: readonly string[] }} NativeModule
 */

const ours = inCheckout('node_modules')

/**
 * The packages that stay outside the bundles, and the files of them that run on this runtime and machine.
 *
 * @param {Runtime} runtime
 * @returns {readonly NativeModule[]}
 */
export function nativeModules({ modules }) {
  const keytar = {
    name: 'keytar',
    from: ours,
    parts: ['package.json', 'LICENSE.md', 'lib', 'build/Release/keytar.node'],
  }
  const library = `@duckdb/node-bindings-${process.platform}-${process.arch}`
  const duckdb = [
    { name: '@duckdb/node-bindings', from: ours, parts: ['package.json', 'duckdb.js'] },
    // All of it: beside the binding lies the library, under a name of the platform's own.
    { name: library, from: ours, parts: ['.'] },
  ]
  if (modules === undefined) {
    const prebuild = `prebuilds/${process.platform}-${process.arch}.node`
    return [
      keytar,
      ...duckdb,
      { name: 'better-sqlite3', from: ours, parts: ['package.json', 'LICENSE', 'lib', prebuild] },
    ]
  }
  return [
    keytar,
    ...duckdb,
    {
      name: 'better-sqlite3',
      from: modules,
      parts: ['package.json', 'LICENSE', 'lib', 'build/Release/better_sqlite3.node'],
    },
    { name: 'bindings', from: modules, parts: ['package.json', 'LICENSE.md', 'bindings.js'] },
    { name: 'file-uri-to-path', from: modules, parts: ['package.json', 'LICENSE', 'index.js'] },
  ]
}

/**
 * Copies them into an app's folder.
 *
 * @param {Runtime} runtime
 * @param {string} app
 */
export async function copyNativeModules(runtime, app) {
  for (const { name, from, parts } of nativeModules(runtime)) {
    for (const part of parts) {
      await cp(join(from, name, part), join(app, 'node_modules', name, part), {
        recursive: true,
        dereference: true,
      })
    }
  }
}
