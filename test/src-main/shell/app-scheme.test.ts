import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Protocol, ProtocolRequest, ProtocolResponse } from 'electron'
import { appFile, appHeaders, declareAppScheme, serveApp } from '#main/shell/app-scheme.ts'

const folder = resolve('/', 'desk', 'renderer')

describe('which file an address names', () => {
  it.each([
    ['traffic-desk-app://desk/index.html', 'index.html', 'text/html'],
    ['traffic-desk-app://desk/assets/index.js?v=1#top', 'assets/index.js', 'text/javascript'],
    ['traffic-desk-app://desk/assets/a%20b.css', 'assets/a b.css', 'text/css'],
    ['traffic-desk-app://desk/icon.SVG', 'icon.SVG', 'image/svg+xml'],
  ])('%s', (address, path, type) => {
    expect(appFile(address, folder)).toEqual({ path: join(folder, path), type })
  })

  it.each([
    'traffic-desk-app://desk/%2e%2e%2fsecret.json',
    'traffic-desk-app://desk/..%2fsecret.json',
    'traffic-desk-app://desk/assets/..%2f..%2fsecret.json',
    'traffic-desk-app://desk/..%5csecret.json',
    'traffic-desk-app://desk/%2fetc%2fhostname.json/..%2f..%2f..%2fx.json',
    'traffic-desk-app://desk/index.html%00.js',
    'traffic-desk-app://desk/',
    'traffic-desk-app://desk/notes.txt',
    'traffic-desk-app://desk/%zz.html',
    'no address',
  ])('%s is refused', (address) => {
    expect(appFile(address, folder)).toBeUndefined()
  })
})

type Answer = Parameters<Parameters<Protocol['registerFileProtocol']>[1]>[1]

describe('the scheme', () => {
  let handler: (request: ProtocolRequest, answer: Answer) => void
  beforeAll(() => {
    const register = (_: string, given: typeof handler) => ((handler = given), true)
    serveApp({ registerFileProtocol: register }, folder)
  })
  const ask = (url: string, method = 'GET') =>
    new Promise<string | ProtocolResponse>((resolve) => {
      handler({ url, method, headers: {}, referrer: '' }, resolve)
    })

  it('is standard and secure, and may not fetch', () => {
    const declared: unknown[] = []
    declareAppScheme({ registerSchemesAsPrivileged: (schemes) => void declared.push(...schemes) })
    expect(declared).toEqual([
      { scheme: 'traffic-desk-app', privileges: { standard: true, secure: true, codeCache: true } },
    ])
  })

  it('gives a file with its type and a strict policy', async () => {
    const response = await ask('traffic-desk-app://desk/index.html')
    expect(response).toMatchObject({
      path: join(folder, 'index.html'),
      mimeType: 'text/html',
      charset: 'utf-8',
      headers: { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' },
    })
  })

  it('allows nothing inline and nothing remote', () => {
    const policy = appHeaders['Content-Security-Policy'].split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'none'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]),
    )
    expect(policy.join()).not.toMatch(/unsafe|http|\*/)
  })

  it.each([
    ['traffic-desk-app://desk/..%2fsecret.json', 'GET'],
    ['traffic-desk-app://elsewhere/index.html', 'GET'],
    ['traffic-desk-app://desk.example/index.html', 'GET'],
    ['traffic-desk-app://desk/index.html', 'POST'],
  ])('answers %s by %s with nothing', async (url, method) => {
    expect(await ask(url, method)).toEqual({ error: -6 })
  })
})
