import { describe, expect, it } from 'vitest'
import { networkFailure, cancelled } from '#main/api/network-failure.ts'
import { ExchangeEnded } from '#main/api/transport/exchange.ts'

const coded = (code: string, wrap = false) => {
  const error = Object.assign(new Error('internal words'), { code })
  return wrap ? Object.assign(new Error('outer', { cause: error }), { code: 'UND_ERR_PRX_TLS' }) : error
}

describe('the failure that a broken connection means', () => {
  it.each([
    ['ENOTFOUND', 'offline', /Can't find reports\.example/],
    ['EAI_AGAIN', 'offline', /Can't look up/],
    ['ECONNREFUSED', 'offline', /refused the connection/],
    ['UND_ERR_CONNECT_TIMEOUT', 'offline', /doesn't respond/],
    ['ENETUNREACH', 'offline', /This computer is offline/],
    ['EHOSTUNREACH', 'offline', /network can't reach/],
    ['ECONNRESET', 'offline', /was lost/],
    ['UND_ERR_SOCKET', 'offline', /was lost/],
    ['Z_BUF_ERROR', 'offline', /was lost/],
    ['EWHATEVER', 'offline', /EWHATEVER/],
    ['Z_DATA_ERROR', 'malformed', /unpacked/],
    ['HPE_INVALID_CONSTANT', 'malformed', /no Traffic Reporting Service/i],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'server-trouble', /doesn't trust/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'server-trouble', /doesn't trust/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'server-trouble', /doesn't trust/],
    ['CERT_REVOKED', 'server-trouble', /doesn't trust/],
    ['CERT_HAS_EXPIRED', 'server-trouble', /clock/],
    ['CERT_NOT_YET_VALID', 'server-trouble', /clock/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'server-trouble', /another name/],
    ['EPROTO', 'server-trouble', /doesn't use HTTPS/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'server-trouble', /client certificate/],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'server-trouble', /client certificate/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'server-trouble', /doesn't use HTTPS/],
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
    ['first-byte', 'timed-out', /did not respond within 120 s/],
    ['idle', 'timed-out', /stopped responding/],
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
    ['Proxy response (403) !== 200 when HTTP Tunneling', /can't connect/],
    ['Proxy response (502) !== 200 when HTTP Tunneling', /can't connect/],
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
