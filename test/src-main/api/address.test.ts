import { isLoopback } from '#main/api/token.ts'
import { describe, expect, it } from 'vitest'
import { parseServiceAddress } from '#main/api/address.ts'

describe('a service address', () => {
  it.each([
    ['https://reports.example', 'https://reports.example'],
    ['reports.example', 'https://reports.example'],
    ['  reports.example/  ', 'https://reports.example'],
    ['//reports.example', 'https://reports.example'],
    ['reports.example:8443', 'https://reports.example:8443'],
    ['https://Reports.Example:443/', 'https://reports.example'],
    ['https://reports.example/v1', 'https://reports.example'],
    ['https://reports.example/v1/', 'https://reports.example'],
    ['https://reports.example/api/V1', 'https://reports.example/api'],
    ['https://reports.example/api//', 'https://reports.example/api'],
    ['https://reports.example/v1beta', 'https://reports.example/v1beta'],
    ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080'],
    ['http://127.8.9.10', 'http://127.8.9.10'],
    ['http://[::1]:9', 'http://[::1]:9'],
    ['localhost:8080', 'https://localhost:8080'],
    ['https://reports.example/direct/overview', 'https://reports.example'],
    ['https://reports.example/api/v1/script/operating-systems/', 'https://reports.example/api'],
    ['POST https://reports.example/v1/raw/table?page=2#top', 'https://reports.example'],
    ['reports.example/V1/Interface/Instances?name=x', 'https://reports.example'],
    ['https://reports.example/v1/script', 'https://reports.example'],
    ['https://reports.example/direct', 'https://reports.example/direct'],
    ['https://direct/overview', 'https://direct/overview'],
    ['<https://reports.example/>.', 'https://reports.example'],
    ['“https://reports.example”,', 'https://reports.example'],
    ['Base URL: https://reports.example;', 'https://reports.example'],
    ['https://rep\u00adorts.exam\u200bple\ufeff', 'https://reports.example'],
    ['https://\u2066reports.example\u2069\u00a0', 'https://reports.example'],
    ['https:// reports.example / api', 'https://reports.example/api'],
    ['https://reports.example: 8443/\r\nv1', 'https://reports.example:8443'],
    ['https:/reports.example', 'https://reports.example'],
    ['https:\\\\reports.example\\v1', 'https://reports.example'],
    ['2001:db8::1', 'https://[2001:db8::1]'],
    ['https://2001:db8:0:0:0:0:0:17/v1', 'https://[2001:db8::17]'],
    ['http://::1/', 'http://[::1]'],
  ])('%j is taken as %s', (typed, address) => {
    expect(parseServiceAddress(typed)).toEqual({ ok: true, value: address })
  })

  it.each([
    ['', /Enter the service address/],
    ['   ', /Enter the service address/],
    ['reports example', /contain spaces/],
    ['https://', /not a web address/],
    ['https://reports.example:99999', /not a web address/],
    ['http://', /not a web address/],
    ['ftp://reports.example', /not ftp:/],
    ['file:///etc/passwd', /not file:/],
    ['https://me:pass@reports.example', /name and password/],
    ['https://me@reports.example', /name and password/],
    ['https://reports.example?token=x', /question mark/],
    ['https://reports.example/?', /question mark/],
    ['https://reports.example/#top', /the #/],
    ['https://reports.example/#', /the #/],
    ['http://reports.example', /unencrypted/],
    ['http://127.0.0.1.example.com', /unencrypted/],
    ['http://localhost.example', /unencrypted/],
    ['http://10.0.0.1', /unencrypted/],
    ['http://0.0.0.0', /unencrypted/],
    ['http://reports.example/v1/direct/overview', /unencrypted/],
    ['https://me:pass@reports.example/direct/overview', /name and password/],
    ['https://reports.example/direct/overviews?x=1', /question mark/],
    ['https://my\u2011reports.example', /U\+2011, a hyphen that does not break/],
    ['https://reports.example/“api', /U\+201C, a curly quote/],
    ['http://::1:8080', /IPv6 address in brackets/],
    ['2001:db8:0:0:0:0:0:1:443', /IPv6 address in brackets/],
    ['http://2001:db8::1', /unencrypted/],
    ['https://reports\u00a0example', /contain spaces/],
    ['https://reports.example .other.example', /contain spaces/],
    ['https://a.example https://b.example', /contain spaces/],
    ['https://https', /not a web address/],
  ])('%j is refused in words', (typed, words) => {
    expect(parseServiceAddress(typed)).toMatchObject({
      ok: false,
      failure: { kind: 'invalid', field: 'address', message: expect.stringMatching(words) as string },
    })
  })

  it('is this computer where it is loopback, however it is written', () => {
    const hosts = ['http://2130706433', 'http://0x7f.1', 'http://127.1', 'http://LOCALHOST'].map(
      (each) => new URL(each).hostname,
    )
    expect(hosts.every(isLoopback)).toBe(true)
    expect(isLoopback('[::2]')).toBe(false)
  })
})
