import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorityOfTests } from '#test/helpers/certificates.ts'
import { proxyServer } from '#test/helpers/proxy-server.ts'
import type { ProxyServer } from '#test/helpers/proxy-server.ts'
import { json, scriptedServer } from '#test/helpers/scripted-server.ts'
import type { ScriptedServer } from '#test/helpers/scripted-server.ts'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'

const { authority } = authorityOfTests()
let server: ScriptedServer
let proxy: ProxyServer
let securedProxy: ProxyServer
beforeAll(async () => {
  const certificate = await authority.issue('IP:127.0.0.1,DNS:reports.example')
  server = await scriptedServer(json({}), certificate)
  proxy = await proxyServer(server.port)
  securedProxy = await proxyServer(server.port, { certificate })
})
afterAll(() => Promise.all([server, proxy, securedProxy].map((each) => each.close())))

it.each([
  ['nothing is set', {}],
  ['certificates are not to be checked', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
  ['Node is given options as well', { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_OPTIONS: '--no-warnings' }],
])('nobody is trusted whom nobody vouches for, where %s in the environment', async (_what, loosened) => {
  const child = join(import.meta.dirname, '../../../helpers/connecting-child.ts')
  const folder = temporaryFolder()
  const keys = join(folder, 'keys.txt')
  const proxies = [proxy, securedProxy].map(({ port }) => `127.0.0.1:${port}`)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [child, server.address, join(folder, 'archive.zip.part'), ...proxies],
    { env: { PATH: process.env['PATH'], SSLKEYLOGFILE: keys, ...loosened } },
  )
  const refused = /doesn't trust the certificate/
  expect(JSON.parse(stdout)).toEqual({
    asked: expect.stringMatching(refused),
    tunnelled: expect.stringMatching(refused),
    proxied: expect.stringMatching(refused),
    knocked: expect.stringMatching(refused),
    fetched: expect.stringMatching(/UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED|not trusted/),
  })
  expect(server.requests).toEqual([])
  expect(securedProxy.told).toEqual([])
  expect(existsSync(keys)).toBe(false)
})
