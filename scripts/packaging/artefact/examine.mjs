import { extractFile, getRawHeader, listPackage } from '@electron/asar'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, lstat, open, readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { Failure } from '../../common/failure.mjs'
import { fuseFaults } from '../fuses.mjs'
import { systemOf } from './binaries.mjs'

/** What has a native part, by the folder it lies in and the ending of the part. */
const nativeParts = [
  { what: 'keychain', path: /^keytar\/.*\.node$/ },
  { what: 'store', path: /^better-sqlite3\/.*\.node$/ },
  { what: 'engine', path: /^@duckdb\/.*\.node$/ },
  { what: "engine's library", path: /^@duckdb\/.*\.(?:so|dylib|dll)$/ },
]

/**
 * What an artefact is, as its own files say.
 *
 * @typedef {object} Facts
 * @property {string} program its path
 * @property {string} version
 * @property {string | null} commit
 * @property {string} system such as `linux-x64`
 * @property {readonly string[]} native its native parts
 * @property {string} integrity whether the program knows the archive's fingerprint
 * @property {Readonly<Record<string, number>>} bytes by part
 * @property {readonly string[]} faults empty where all is well
 */

/**
 * Reads what was unpacked: for which system the program and each native part were built, how its fuses stand, whether the
 * archive is the one that the program knows.
 *
 * @param {string} folder
 * @returns {Promise<Facts>}
 */
export async function examine(folder) {
  const archive = await archiveIn(folder)
  const resources = dirname(archive)
  const description = JSON.parse(extractFile(archive, 'package.json').toString('utf8'))
  const app = dirname(resources)
  const program = programIn(app, description)
  const own = await systemIn(program)
  if (own === undefined) throw new Failure(`${basename(program)} is no program.`)
  const system = `${own.platform}-${own.arch}`
  /** @type {string[]} */
  const faults = []

  const beside = join(`${archive}.unpacked`, 'node_modules')
  /** @type {string[]} */
  const native = []
  for (const path of await filesIn(beside)) {
    const built = await systemIn(path)
    const name = relative(beside, path).split(sep).join('/')
    if (built === undefined) continue
    native.push(name)
    const of = `${built.platform}-${built.arch}`
    const fits = of === system || (built.arch === 'universal' && built.platform === own.platform)
    if (!fits) faults.push(`${name} is for ${of}, the program for ${system}`)
  }
  for (const { what, path } of nativeParts)
    if (!native.some((name) => path.test(name))) faults.push(`the native part of the ${what} is missing`)
  for (const entry of listPackage(archive, { isPack: true }))
    if (/^pack +: .*\.(?:node|so|dylib|dll)$/.test(entry)) faults.push(`${entry} is inside the archive`)

  const platform = /** @type {NodeJS.Platform} */ (own.platform)
  for (const fuse of await fuseFaults(program, platform)) faults.push(`the fuse ${fuse} stands otherwise`)
  const integrity = await integrityOf(archive, app, program, platform)
  if (integrity === 'differs') faults.push('the archive is not the one that the program knows')
  if (typeof description.commit !== 'string') faults.push('it does not say of which commit it is made')
  const bytes = await bytesByPart(app, archive)
  return {
    ...{ program, version: String(description.version), commit: description.commit ?? null },
    ...{ system, native, integrity, bytes, faults },
  }
}

/**
 * @param {string} name
 * @param {Facts} facts
 * @returns {string} several lines
 */
export function inWords(name, { version, commit, system, native, integrity, bytes, faults }) {
  const parts = Object.entries(bytes).sort(([, one], [, other]) => other - one)
  return [
    `${name}: ${version}, commit ${commit ?? 'unknown'}, ${system}`,
    `  native parts: ${native.join(', ')}`,
    `  archive: ${integrity}`,
    ...parts.map(([part, size]) => `  ${(size / 1e6).toFixed(1).padStart(6)} MB  ${part}`),
    ...faults.map((fault) => `  WRONG: ${fault}`),
  ].join('\n')
}

/** @param {string} folder */
async function archiveIn(folder) {
  for await (const found of glob('**/app.asar', { cwd: folder })) return join(folder, found)
  throw new Failure(`There is no app.asar in ${folder}.`)
}

/**
 * @param {string} app
 * @param {{ name: string, productName: string }} description
 */
function programIn(app, { name, productName }) {
  const found = [name, `${productName}.exe`, join('MacOS', productName)].find((each) =>
    existsSync(join(app, each)),
  )
  if (found === undefined) throw new Failure(`There is no program in ${app}.`)
  return join(app, found)
}

/** @param {string} path */
async function systemIn(path) {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
    return systemOf(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/**
 * Electron checks the archive on macOS and Windows; there the fingerprint of its list of files stands in the program.
 *
 * @param {string} archive
 * @param {string} app
 * @param {string} program
 * @param {NodeJS.Platform} platform
 */
async function integrityOf(archive, app, program, platform) {
  if (platform === 'linux') return 'Electron does not check it on Linux'
  const hash = createHash('sha256').update(getRawHeader(archive).headerString).digest('hex')
  const knows = await readFile(platform === 'darwin' ? join(app, 'Info.plist') : program)
  return knows.includes(hash) ? 'agrees' : 'differs'
}

/**
 * @param {string} app
 * @param {string} archive
 */
async function bytesByPart(app, archive) {
  /** @type {Record<string, number>} */
  const bytes = {}
  for (const path of await filesIn(app)) {
    const part = partOf(relative(app, path).split(sep).join('/'), relative(app, archive).split(sep).join('/'))
    bytes[part] = (bytes[part] ?? 0) + (await lstat(path)).size
  }
  return bytes
}

/**
 * @param {string} path
 * @param {string} archive
 */
function partOf(path, archive) {
  if (path === archive) return 'the app (app.asar)'
  const native = /^\.unpacked\/node_modules\/(@duckdb|[^/]+)/.exec(path.slice(archive.length))?.[1]
  if (path.startsWith(archive) && native !== undefined) return native
  if (/^locales\/|\.lproj\//.test(path)) return "Electron's languages"
  return /(?:^|\/)LICENSES?\b[^/]*$/.test(path) ? 'licences' : 'Electron'
}

/** @param {string} folder */
async function filesIn(folder) {
  /** @type {string[]} */
  const found = []
  for await (const entry of glob('**', { cwd: folder, withFileTypes: true }))
    if (entry.isFile()) found.push(join(entry.parentPath, entry.name))
  return found
}
