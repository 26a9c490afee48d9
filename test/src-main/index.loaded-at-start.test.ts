import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect, it } from 'vitest'

/** Values that a file takes at once; what it takes as types alone, or later, costs its start nothing. */
const taken = /^(?:import|export) (?!type )(?:[^'";]*? from )?'([^']+)'/gm

/** Everything that is loaded with a file: packages and Node's own by the files that take them, first. */
function loadedWith(file: string, seen = new Set<string>(), found = new Map<string, string>()) {
  if (seen.has(file)) return found
  seen.add(file)
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(taken)) {
    if (name.startsWith('.')) loadedWith(resolve(dirname(file), name), seen, found)
    else if (!found.has(name)) found.set(name, file)
  }
  return found
}

it('loads neither connections nor keychain nor engine before the window', () => {
  const found = loadedWith(resolve(import.meta.dirname, '../../src-main/index.ts'))
  const late = ['node:http', 'node:https', 'node:tls', 'undici', 'keytar', 'dbus-native', '@duckdb/node-api']
  expect(found.has('electron')).toBe(true)
  expect(
    [...found].filter(([name]) => late.some((one) => name === one || name.startsWith(`${one}/`))),
  ).toEqual([])
})
