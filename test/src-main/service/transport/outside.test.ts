import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorityOfTests } from '../../../helpers/certificates.ts'
import { json, scriptedServer } from '../../../helpers/scripted-server.ts'
import type { ScriptedServer } from '../../../helpers/scripted-server.ts'
import { temporaryFolder } from '../../store/helpers.ts'

const { authority } = authorityOfTests()
let server: ScriptedServer
beforeAll(async () => {
  server = await scriptedServer(json({}), await authority.issue('IP:127.0.0.1'))
})
afterAll(() => server.close())

it.each([
  ['nothing is set', {}],
  ['certificates are not to be checked', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
  ['Node is given options as well', { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_OPTIONS: '--no-warnings' }],
])('nobody is trusted whom nobody vouches for, where %s in the environment', async (_what, loosened) => {
  const child = join(import.meta.dirname, '../../../helpers/connecting-child.ts')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [child, server.address, join(temporaryFolder(), 'archive.zip.part')],
    { env: { PATH: process.env['PATH'], ...loosened } },
  )
  const { asked, fetched } = JSON.parse(stdout) as { asked: string; fetched: string }
  expect(asked).toMatch(/is not trusted by this computer, so nothing was sent/)
  expect(fetched).toMatch(/UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED|not trusted/)
  expect(server.requests).toEqual([])
})
