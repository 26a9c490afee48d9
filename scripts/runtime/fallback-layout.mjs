/** Packages of which the archive carries a build for its own runtime, and the files of them that are needed. */
const runtimeFiles =
  /^node_modules\/(better-sqlite3|bindings|file-uri-to-path)\/(package\.json|LICENSE[^/]*|index\.js|bindings\.js|lib\/.+|build\/Release\/.+\.node)$/

/** A snapshot of another program's start-up code; the runtime starts without it once its fuse is off. */
const snapshot = 'browser_v8_context_snapshot.bin'

/**
 * Where an entry of the archive belongs in the runtime's folder.
 *
 * @param {string} entry a path in the archive
 * @returns {string | undefined} a path relative to the runtime's folder; undefined for what is left out
 */
export function placeOf(entry) {
  const path = /^Cypress\/(.*)$/.exec(entry)?.[1]
  if (path === undefined || path.endsWith('/') || path === '' || path.split('/').includes('..'))
    return undefined
  const inner = /^resources\/app\/(.*)$/.exec(path)?.[1]
  if (inner !== undefined) return runtimeFiles.test(inner) ? `modules/${inner}` : undefined
  if (path === snapshot || path === 'resources/app-update.yml') return undefined
  if (path === 'Cypress') return 'dist/electron'
  return path === 'LICENSE.electron.txt' ? 'dist/LICENSE' : `dist/${path}`
}
