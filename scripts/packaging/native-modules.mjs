import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { inCheckout } from '../common/checkout.mjs'
import { Failure } from '../common/failure.mjs'

/**
 * What a package is made for, in Node's words.
 *
 * @typedef {{ platform: 'linux' | 'win32' | 'darwin', arch: 'x64' | 'arm64' }} Target
 * @typedef {{ name: string, from: string, parts: readonly string[] }} NativeModule
 */

/** What lies beside the archive: the system loads libraries from files alone. */
export const unpackedFiles = '{*.node,*.so*,*.dylib,*.dll}'

const ours = inCheckout('node_modules')

/**
 * The packages that stay outside the bundles, and the files of them that run on a target.
 *
 * @param {Target} target
 * @param {string | undefined} fallbackModules where a runtime of its own brings packages built for it: their folder
 * @returns {readonly NativeModule[]}
 */
export function nativeModules({ platform, arch }, fallbackModules) {
  const system = `${platform}-${arch}`
  const parts = [
    {
      name: 'keytar',
      from: ours,
      parts: ['package.json', 'LICENSE.md', 'lib', `prebuilds/${system}/keytar.node`],
    },
    { name: '@duckdb/node-bindings', from: ours, parts: ['package.json', 'duckdb.js'] },
    // All of it: beside the binding lies the library, under a name of the platform's own.
    { name: `@duckdb/node-bindings-${system}`, from: ours, parts: ['.'] },
  ]
  if (fallbackModules === undefined)
    return [
      ...parts,
      {
        name: 'better-sqlite3',
        from: ours,
        parts: ['package.json', 'LICENSE', 'lib', `prebuilds/${system}.node`],
      },
    ]
  return [
    ...parts,
    {
      name: 'better-sqlite3',
      from: fallbackModules,
      parts: ['package.json', 'LICENSE', 'lib', 'build/Release/better_sqlite3.node'],
    },
    { name: 'bindings', from: fallbackModules, parts: ['package.json', 'LICENSE.md', 'bindings.js'] },
    { name: 'file-uri-to-path', from: fallbackModules, parts: ['package.json', 'LICENSE', 'index.js'] },
  ]
}

/**
 * Copies them into an app's folder. Throws a Failure where one is not installed: npm fetches those of this computer alone
 * unless it is told for which it is.
 *
 * @param {readonly NativeModule[]} modules
 * @param {string} app
 */
export async function copyNativeModules(modules, app) {
  for (const { name, from, parts } of modules) {
    for (const part of parts) {
      if (!existsSync(join(from, name, part)))
        throw new Failure(`${name}/${part} is not installed: see docs/releasing.md.`)
      await cp(join(from, name, part), join(app, 'node_modules', name, part), {
        recursive: true,
        dereference: true,
      })
    }
  }
}
