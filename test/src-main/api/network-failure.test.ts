import { describe, expect, it } from 'vitest'
import { networkFailure, cancelled } from '#main/api/network-failure.ts'
import { ExchangeEnded } from '#main/api/transport/exchange.ts'

const coded = (code: string, wrap = false) => {
  const error = Object.assign(new Error('internal words'), { code })
  return wrap ? Object.assign(new Error('outer', { cause: error }), { code: 'UND_ERR_PRX_TLS' }) : error
}

describe('the failure that a broken connection means', () => {
  it.each([
    ['ENOTFOUND', 'offline', /No server is known under the name reports\.example/],
    ['EAI_AGAIN', 'offline', /cannot be looked up/],
    ['ECONNREFUSED', 'offline', /refused the connection/],
    ['UND_ERR_CONNECT_TIMEOUT', 'offline', /does not answer to attempts/],
    ['ENETUNREACH', 'offline', /no network/],
    ['EHOSTUNREACH', 'offline', /no way to/],
    ['ECONNRESET', 'offline', /was lost/],
    ['UND_ERR_SOCKET', 'offline', /was lost/],
    ['Z_BUF_ERROR', 'offline', /was lost/],
    ['EWHATEVER', 'offline', /EWHATEVER/],
    ['Z_DATA_ERROR', 'malformed', /unpacked/],
    ['HPE_INVALID_CONSTANT', 'malformed', /not as a Traffic Reporting Service/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'server-trouble', /not trusted/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'server-trouble', /not trusted/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'server-trouble', /not trusted/],
    ['CERT_REVOKED', 'server-trouble', /not trusted/],
    ['CERT_HAS_EXPIRED', 'server-trouble', /clock/],
    ['CERT_NOT_YET_VALID', 'server-trouble', /clock/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'server-trouble', /another name/],
    ['EPROTO', 'server-trouble', /does not speak HTTPS/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'server-trouble', /client certificate/],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'server-trouble', /client certificate/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'server-trouble', /does not speak HTTPS/],
  ])('%s is %s', (code, kind, words) => {
    for (const wrap of [false, true]) {
      const { failure } = networkFailure(coded(code, wrap), 'reports.example')
      expect(failure).toEqual({ kind, message: expect.stringMatching(words) as string })
      expect(failure.message).not.toContain('internal words')
    }
  })

  it.each(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])(
    '%s of a connection that stood is its loss',
    (code) => {
      const whileReading = Object.assign(coded(code), { syscall: 'read' })
      expect(networkFailure(whileReading, 'reports.example').failure).toEqual({
        kind: 'offline',
        message: expect.stringMatching(/was lost/) as string,
      })
    },
  )

  it('is found in the first of several attempts to connect', () => {
    const error = new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')])
    expect(networkFailure(error, 'h').failure.message).toMatch(/refused the connection/)
  })

  it.each([
    ['first-byte', 'timed-out', /did not begin to answer in 120 s/],
    ['idle', 'timed-out', /stopped in the middle/],
    ['whole', 'timed-out', /did not finish/],
    ['size', 'malformed', /larger than 120 MiB/],
    ['coding', 'malformed', /packed in a way/],
    ['cancelled', 'cancelled', /Cancelled/],
  ] as const)('that we ended (%s) is %s', (by, kind, words) => {
    expect(networkFailure(new ExchangeEnded(by, 120), 'h').failure).toEqual({
      kind,
      message: expect.stringMatching(words) as string,
    })
  })

  it.each([
    ['Proxy response (403) !== 200 when HTTP Tunneling', /does not connect/],
    ['Proxy response (502) !== 200 when HTTP Tunneling', /does not connect/],
  ])('of a proxy is told: %s', (message, words) => {
    const { failure } = networkFailure(Object.assign(new Error(message), { code: 'UND_ERR_ABORTED' }), 'h')
    expect(failure).toEqual({ kind: 'server-trouble', message: expect.stringMatching(words) as string })
  })

  it('is passed on where it is one already', () => {
    const failure = cancelled()
    expect(networkFailure(failure, 'h')).toBe(failure)
  })

  it.each([[new TypeError('a mistake of ours')], ['text'], [undefined]])(
    'is not made of a mistake of ours',
    (mistake) => {
      let thrown: unknown = 'nothing was thrown'
      try {
        networkFailure(mistake, 'h')
      } catch (error) {
        thrown = error
      }
      expect(thrown).toBe(mistake)
    },
  )
})
