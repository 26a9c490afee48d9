import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../common/failure.mjs'
import { cacheFolder } from '../common/folders.mjs'
import { run } from '../common/processes.mjs'
import { step } from '../common/say.mjs'

/**
 * The sources of a Debian package, with AppImages among its tests: for networks that reach Debian's mirrors alone. The head
 * of each is the program that unpacks or mounts the rest. It is old and gets no repairs: for tests, never for people.
 */
const source = {
  package: 'libappimage1.0abi1',
  file: 'libappimage_1.0.4-5.orig.tar.gz',
  sha256: '2c4e18860a790c5959da6eb064cbd07f165fe6a9b15989491a3a3f176d06af31',
  // The newest of them, which also runs where nothing can be mounted.
  image: 'libappimage-1.0.4-5/tests/data/Echo-no-integrate-x86_64.AppImage',
}

/**
 * Where the program lies that an AppImage begins with. AppImage's own has no versions: a release names the file and its
 * SHA-256. Throws a Failure where there is none.
 *
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @param {boolean} forTests whether the old one of Debian's sources will do
 */
export async function appImageRuntime(environment, forTests) {
  const { APPIMAGE_RUNTIME: path, APPIMAGE_RUNTIME_SHA256: wanted } = environment
  if (path) {
    if (sha256(await readFile(path)) !== wanted?.toLowerCase())
      throw new Failure(`${path} is not the runtime that APPIMAGE_RUNTIME_SHA256 names.`)
    return path
  }
  if (!forTests)
    throw new Failure(
      'An AppImage needs APPIMAGE_RUNTIME and APPIMAGE_RUNTIME_SHA256: see docs/releasing.md.',
    )
  const made = join(cacheFolder, 'appimage-runtime-ee71440-x86_64')
  if (!existsSync(made)) await step('Fetching an AppImage runtime for tests (2 MB)', () => fetchFor(made))
  return made
}

/** @param {string} made */
async function fetchFor(made) {
  await mkdir(cacheFolder, { recursive: true })
  const tarball = `${made}.${process.pid}.tar.gz`
  // apt knows which mirror is reached, and how.
  const [, folder] =
    /^'(.*\/)[^/]+'/.exec(
      execFileSync('apt-get', ['--print-uris', 'download', source.package], { encoding: 'utf8' }),
    ) ?? []
  const args = ['download-file', `${folder}${source.file}`, tarball, `SHA256:${source.sha256}`]
  if (folder === undefined || (await run('/usr/lib/apt/apt-helper', args, { stdio: 'ignore' })) !== 0)
    throw new Failure(`The sources of ${source.package} could not be fetched.`)
  const image = execFileSync('tar', ['-xzOf', tarball, source.image], { maxBuffer: 32 << 20 })
  const whole = `${made}.${process.pid}`
  await writeFile(whole, image.subarray(0, endOfProgram(image)))
  await chmod(whole, 0o755)
  await rename(whole, made)
  await run('rm', ['-f', tarball])
}

/**
 * Where a 64-bit ELF program ends and what was appended to it begins: the table of its sections is its last part.
 *
 * @param {Buffer} file
 */
export const endOfProgram = (file) =>
  Number(file.readBigUInt64LE(0x28)) + file.readUInt16LE(0x3a) * file.readUInt16LE(0x3c)

/** @param {Buffer} bytes */
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
