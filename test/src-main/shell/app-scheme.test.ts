import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appFile } from '../../../src-main/shell/app-files.ts'
import { declareAppScheme, serveApp } from '../../../src-main/shell/app-scheme.ts'

const top = mkdtempSync(join(tmpdir(), 'desk-scheme-'))
const folder = join(top, 'renderer')

beforeAll(() => {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), '<!doctype html>')
  writeFileSync(join(folder, 'assets', 'index.js'), 'export {}')
  writeFileSync(join(top, 'secret.json'), '{}')
})
afterAll(() => {
  rmSync(top, { recursive: true })
})

describe('which file an address names', () => {
  it.each([
    ['traffic-desk-app://desk/index.html', 'index.html', 'text/html; charset=utf-8'],
    ['traffic-desk-app://desk/assets/index.js?v=1#top', 'assets/index.js', 'text/javascript; charset=utf-8'],
    ['traffic-desk-app://desk/assets/a%20b.css', 'assets/a b.css', 'text/css; charset=utf-8'],
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

describe('the scheme', () => {
  let answer: (request: Request) => Response | Promise<Response>
  beforeAll(() => {
    serveApp({ handle: (_, handler) => void (answer = handler) }, folder)
  })
  const ask = (url: string, method = 'GET') => answer(new Request(url, { method }))

  it('is standard and secure, and may not fetch', () => {
    const declared: unknown[] = []
    declareAppScheme({ registerSchemesAsPrivileged: (schemes) => void declared.push(...schemes) })
    expect(declared).toEqual([
      { scheme: 'traffic-desk-app', privileges: { standard: true, secure: true, codeCache: true } },
    ])
  })

  it('gives a file with its type and a strict policy', async () => {
    const response = await ask('traffic-desk-app://desk/index.html')
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('<!doctype html>')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).not.toMatch(/unsafe|http|\*/)
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'none'"]),
    )
  })

  it.each([
    ['traffic-desk-app://desk/none.html', 'GET'],
    ['traffic-desk-app://desk/..%2fsecret.json', 'GET'],
    ['traffic-desk-app://elsewhere/index.html', 'GET'],
    ['traffic-desk-app://desk/index.html', 'POST'],
  ])('answers %s by %s with nothing', async (url, method) => {
    const response = await ask(url, method)
    expect(response.status).toBe(404)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  })
})
