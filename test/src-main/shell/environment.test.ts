import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { dropLoosening } from '#main/shell/environment.ts'

const loosened = {
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
  NODE_EXTRA_CA_CERTS: '/tmp/authority.pem',
  SSLKEYLOGFILE: '/tmp/keys',
  SSL_CERT_FILE: '/tmp/authority.pem',
  SSL_CERT_DIR: '/tmp',
  OPENSSL_CONF: '/tmp/openssl.cnf',
  NODE_OPTIONS: '--require=/tmp/other.cjs',
  ELECTRON_RUN_AS_NODE: '1',
}

it.each([
  ['the installed app', true, { HOME: '/home/ada' }],
  [
    'a checkout, whose runtime needs it',
    false,
    {
      HOME: '/home/ada',
      NODE_OPTIONS: loosened.NODE_OPTIONS,
      ELECTRON_RUN_AS_NODE: '1',
    },
  ],
])('takes out what loosens connections or runs something else: %s', (_of, packaged, left) => {
  const environment: Record<string, string | undefined> = { ...loosened, HOME: '/home/ada' }
  dropLoosening(environment, packaged)
  expect(environment).toEqual(left)
})

it('leaves nothing of it to threads that begin afterwards', async () => {
  process.env['SSLKEYLOGFILE'] = loosened.SSLKEYLOGFILE
  dropLoosening(process.env, false)
  const source = "require('node:worker_threads').parentPort.postMessage(process.env.SSLKEYLOGFILE ?? 'none')"
  const worker = new Worker(source, { eval: true })
  expect(await new Promise((resolve) => worker.once('message', resolve))).toBe('none')
})
