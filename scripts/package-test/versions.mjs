import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/**
 * The same package under another version: to apt another version is what its description says.
 *
 * @param {string} deb
 * @param {string} version
 * @returns {Promise<string>} its path, in a folder of its own
 */
export async function relabelled(deb, version) {
  const folder = await mkdtemp(join(tmpdir(), 'traffic-desk-relabelled-'))
  const content = join(folder, 'content')
  execFileSync('dpkg-deb', ['--raw-extract', deb, content])
  const control = join(content, 'DEBIAN', 'control')
  writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${version}`))
  const made = join(folder, 'traffic-desk.deb')
  // Made to be installed once: what it takes on the disk is no matter, time is.
  execFileSync('dpkg-deb', ['-Znone', '--root-owner-group', '--build', content, made], { stdio: 'ignore' })
  execFileSync('rm', ['-r', content])
  // apt reads it as a user of its own.
  execFileSync('chmod', ['-R', 'a+rX', folder])
  return made
}

/**
 * Makes a file of the app's state look like one of a version that is not written yet.
 *
 * @param {string} file
 */
export async function makeNewer(file) {
  const { default: Database } = await import('better-sqlite3')
  const database = new Database(file)
  database.pragma('user_version = 9000')
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}

/** @param {string} file */
export const digest = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')

/**
 * The same of a profile, without the log and what Chromium keeps there. The names of its files begin with a capital, ours never do.
 *
 * @param {string} profile
 */
export const digestsOfOurs = (profile) =>
  Object.fromEntries(
    Object.entries(digests(profile)).filter(([path]) => !/^(?:[A-Z]|blob_storage|logs)/.test(path)),
  )

/**
 * What lies in a folder, to be compared with later.
 *
 * @param {string} folder
 * @returns {Readonly<Record<string, string>>} the digest of each file, by its path
 */
export function digests(folder) {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((path) => join(folder, path))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
      .map((path) => [relative(folder, path), digest(path)]),
  )
}
