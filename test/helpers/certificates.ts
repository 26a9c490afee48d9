import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { Certificate } from './scripted-server.ts'

const run = promisify(execFile)

/** An authority of a test's own, and server certificates that it issues. */
export type Authority = {
  /** Its certificate in PEM, for those who trust it. */
  readonly certificate: string
  /** Issues a certificate for names such as `DNS:localhost,IP:127.0.0.1`. */
  readonly issue: (names: string, validity?: readonly string[]) => Promise<Certificate>
  readonly remove: () => Promise<void>
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
const forTenDays = ['-days', '10']

/** What a test opens and the helpers close after it. */
type Opened = { readonly close: () => Promise<void> }

/** An authority for the tests of a file, made before the first of them. What they put into `opened` is closed after each. */
export function authorityOfTests(): {
  readonly authority: Omit<Authority, 'remove'>
  readonly opened: Opened[]
} {
  let made: Authority | undefined
  const opened: Opened[] = []
  beforeAll(async () => {
    made = await testAuthority()
  })
  afterAll(() => made?.remove())
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()))
  })
  const now = () => {
    if (!made) throw new Error('Before the first test there is no authority')
    return made
  }
  const authority: Omit<Authority, 'remove'> = {
    get certificate() {
      return now().certificate
    },
    issue: (...order) => now().issue(...order),
  }
  return { authority, opened }
}

/** Makes an authority with the openssl command, in a folder that `remove` clears away. */
export async function testAuthority(): Promise<Authority> {
  const folder = await mkdtemp(join(tmpdir(), 'authority-'))
  const inFolder = (name: string) => join(folder, name)
  const openssl = (...words: string[]) => run('openssl', words, { cwd: folder })
  await openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=Test authority',
    ...forTenDays,
  )
  let issued = 0
  return {
    certificate: await readFile(inFolder('ca.pem'), 'utf8'),
    issue: async (names, validity = forTenDays) => {
      issued += 1
      const [key, request, extensions, made] = ['key', 'csr', 'ext', 'pem'].map(
        (end) => `${issued}.${end}`,
      ) as [string, string, string, string]
      await writeFile(inFolder(extensions), `subjectAltName=${names}\n`)
      await openssl('req', '-new', ...newKey, '-keyout', key, '-out', request, '-subj', '/CN=Test')
      const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', extensions]
      await openssl('x509', '-req', '-in', request, '-out', made, ...signing, ...validity)
      return { key: await readFile(inFolder(key), 'utf8'), cert: await readFile(inFolder(made), 'utf8') }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
