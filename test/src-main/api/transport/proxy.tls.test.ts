import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { secureContext, systemCertificates } from '#main/api/transport/proxy.ts'
import { overviewAnswer } from '#test/helpers/answers.ts'
import { authorityOfTests } from '#test/helpers/certificates.ts'
import { json, scriptedServer } from '#test/helpers/scripted-server.ts'
import { clientFor, failureOfCall, week } from '#test/helpers/service-client.ts'

const { authority, opened } = authorityOfTests()

/** A server with a certificate for these names, and a client that trusts the test's authority, or does not. */
async function open(names: string, trusting: boolean, validity?: readonly string[]) {
  const server = await scriptedServer(json(overviewAnswer), await authority.issue(names, validity))
  const client = clientFor(server.address, {
    ...(trusting && { certificates: () => Promise.resolve([authority.certificate]) }),
  })
  opened.push(client, server)
  return { server, call: () => client.call('script/overview', week) }
}

describe('over TLS', () => {
  it('a service is asked whose certificate is trusted', async () => {
    const { call } = await open('IP:127.0.0.1', true)
    expect((await call()).answer.total.good).toBe(20)
  })

  it.each([
    ['is not trusted', 'IP:127.0.0.1', false, undefined, /doesn't trust the certificate/],
    ['is for another name', 'DNS:elsewhere.example', true, undefined, /is for another name/],
    ['has expired', 'IP:127.0.0.1', true, ['-days', '-1'], /Check this computer's clock/],
  ] as const)('nothing is sent where the certificate %s', async (_, names, trusting, validity, words) => {
    const { server, call } = await open(names, trusting, validity)
    expect(await failureOfCall(call())).toMatchObject({
      kind: 'server-trouble',
      message: expect.stringMatching(words) as string,
    })
    expect(server.requests).toEqual([])
  })

  it('a service that wants a client certificate is told apart, where it says so before a request', async () => {
    const issued = await authority.issue('IP:127.0.0.1')
    // With TLS 1.3 it says so too late: the connection is only lost then.
    const demanding = {
      ...issued,
      maxVersion: 'TLSv1.2',
      ca: authority.certificate,
      requestCert: true,
    } as const
    const server = https.createServer({ ...demanding, rejectUnauthorized: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const client = clientFor(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      certificates: () => Promise.resolve([authority.certificate]),
    })
    opened.push(client)
    expect(await failureOfCall(client.call('script/overview', week))).toMatchObject({
      kind: 'server-trouble',
      message: expect.stringMatching(/client certificate/) as string,
    })
  })

  it('a service that speaks plain HTTP is told apart', async () => {
    const server = await scriptedServer(json(overviewAnswer))
    const client = clientFor(server.address.replace('http:', 'https:'))
    opened.push(client, server)
    expect(await failureOfCall(client.call('script/overview', week))).toMatchObject({
      kind: 'server-trouble',
      message: expect.stringMatching(/doesn't use HTTPS/) as string,
    })
  })
})

describe("the system's authorities", () => {
  it("are the runtime's own and the operating system's, where it has more", async () => {
    const certificates = await systemCertificates()
    expect(new Set(certificates).size).toBe(certificates?.length ?? 0)
    for (const each of certificates ?? []) expect(each).toMatch(/^-----BEGIN CERTIFICATE-----/)
  })

  it('are read once', () => {
    expect(systemCertificates()).toBe(systemCertificates())
  })

  it("are the runtime's own where it cannot tell, or where they cannot be read", async () => {
    const broken = '-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n'
    for (const certificates of [undefined, [broken]]) {
      expect(await secureContext(() => Promise.resolve(certificates))).toBeDefined()
    }
  })
})
