import { describe, expect, it } from 'vitest'
import { RestingProxies, direct, routesOf } from '#main/api/transport/proxy.ts'

const proxy = (uri: string) => ({ kind: 'proxy' as const, uri })

describe('the ways that a proxy resolver names', () => {
  it.each([
    ['DIRECT', [direct]],
    ['', [direct]],
    ['PROXY proxy.example:3128', [proxy('http://proxy.example:3128')]],
    ['PROXY proxy.example:3128; DIRECT', [proxy('http://proxy.example:3128'), direct]],
    ['HTTPS p.example:443;PROXY [::1]:8080 ;', [proxy('https://p.example:443'), proxy('http://[::1]:8080')]],
    ['proxy p.example:1;direct', [proxy('http://p.example:1'), direct]],
    ['SOCKS5 s.example:1080; DIRECT', [direct]],
    ['PROXY ; DIRECT', [direct]],
    ['PROXY place:x; DIRECT', [direct]],
  ])('%j', (resolved, routes) => {
    expect(routesOf(resolved)).toEqual(routes)
  })

  it.each(['SOCKS5 s.example:1080', 'SOCKS s.example:1080; SOCKS5 t.example:1', 'QUIC q.example:443'])(
    'are refused in words where none can be used: %s',
    (resolved) => {
      expect(() => routesOf(resolved)).toThrow(/a proxy that Traffic Desk doesn't support/)
    },
  )
})

describe('proxies that were not reached', () => {
  it('come last for a while', () => {
    const resting = new RestingProxies()
    const routes = [proxy('http://a:1'), proxy('http://b:1'), direct]
    resting.rest(proxy('http://a:1'), 1000)
    expect(resting.order(routes, 2000)).toEqual([proxy('http://b:1'), direct, proxy('http://a:1')])
    expect(resting.order(routes, 1000 + 5 * 60_000)).toEqual(routes)
  })

  it('does not concern the direct way', () => {
    const resting = new RestingProxies()
    resting.rest(direct, 0)
    expect(resting.order([direct, proxy('http://a:1')], 1)).toEqual([direct, proxy('http://a:1')])
  })
})
