import { readFileSync, readdirSync } from 'node:fs'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { AccessToken } from '#main/api/token.ts'
import { tokenText } from '#test/helpers/service-client.ts'

const service = new URL('https://reports.example/v1/script/overview')
const token = new AccessToken(tokenText, service.origin)

describe('an access token', () => {
  it.each([
    ['as text', `${token}`],
    ['joined to text', 'x' + token],
    ['in JSON', JSON.stringify({ token })],
    ['inspected', inspect(token)],
    ['inspected within others', inspect({ deep: { token } }, { depth: 9, showHidden: true })],
    ['in the message of an error', new Error(String(token)).message],
    ['by its members', JSON.stringify(Object.entries(token))],
    ['by its property names', JSON.stringify(Reflect.ownKeys(token))],
  ])('is not given away %s', (_, printed) => {
    expect(printed).not.toContain('5e15a')
  })

  it('cannot be cloned into another process or thread', () => {
    expect(inspect(structuredClone(token))).not.toContain('5e15a')
  })

  it('is revealed where it is asked for by name', () => {
    expect(token.revealFor(service)).toBe(tokenText)
  })

  it.each([
    'http://reports.example/',
    'https://reports.example:8443/',
    'https://reports.example.evil.example/',
    'https://evil.example/reports.example',
    'http://127.0.0.1:4711/',
  ])('is not revealed for another origin: %s', (address) => {
    expect(token.isFor(address)).toBe(false)
    expect(() => token.revealFor(new URL(address))).toThrow('Type the token for it.')
  })

  it('comes back from its keychain entry with its origin; a bare one names none', () => {
    const back = AccessToken.fromEntry(token.toEntry())
    expect(back?.revealFor(service)).toBe(tokenText)
    expect(back?.isFor('https://elsewhere.example')).toBe(false)
    for (const bare of [tokenText, '12', 'null', '{"token":"x"}', '{"token":"x","origin":"nowhere"}'])
      expect(AccessToken.fromEntry(bare)).toBeUndefined()
  })

  it('is revealed in this room by the body writer, and to the thread that takes it out of large answers', () => {
    const room = `${import.meta.dirname}/../../../src-main/api`
    const files = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    const revealing = files.filter((name) =>
      /\.(revealFor|toEntry)\b/.test(readFileSync(`${room}/${name}`, 'utf8')),
    )
    expect(revealing).toEqual(['body.ts', 'large/large-answers.ts'])
  })
})

const inUnicodeEscapes = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

describe('taking the token out of a text', () => {
  const lowerCaseEscapes = encodeURIComponent(tokenText).toLowerCase()
  it.each([
    ['plain', tokenText],
    ['percent-encoded', encodeURIComponent(tokenText)],
    ['with lower-case escapes', lowerCaseEscapes],
    ['as a form field', new URLSearchParams({ t: tokenText }).toString().slice(2)],
    ['with escaped slashes, as some write JSON', tokenText.replaceAll('/', '\\/')],
    ['in JSON escapes', tokenText.replace(/./g, inUnicodeEscapes)],
    ['with some JSON escapes', tokenText.replace(/[^a-z0-9]/g, inUnicodeEscapes)],
  ])('works for a token %s', (_, written) => {
    const redacted = token.redact(`before "${written}" after`)
    expect(redacted).toBe('before "[token]" after')
  })

  it('takes out every occurrence', () => {
    expect(token.redact(`${tokenText},${tokenText}`)).toBe('[token],[token]')
  })

  it('leaves other text alone', () => {
    expect(token.redact('nothing 5e15a here')).toBe('nothing 5e15a here')
  })

  it('handles spaces, quotes and letters beyond ASCII', () => {
    const odd = new AccessToken('pass wörd "99"/ä', 'https://reports.example')
    expect(odd.redact(`x=${new URLSearchParams({ t: odd.revealFor(service) }).toString()}`)).toBe(
      'x=t=[token]',
    )
    expect(odd.redact(JSON.stringify({ t: odd.revealFor(service) }))).toBe('{"t":"[token]"}')
  })

  it('takes a very short token out only where it stands alone, so that figures stay right', () => {
    const short = new AccessToken('12', 'https://reports.example')
    expect(short.redact('{"a":"12","b":[12,3],"c":"120"}')).toBe('{"a":"[token]","b":[12,3],"c":"120"}')
  })

  it('does nothing for an empty token', () => {
    expect(new AccessToken('', 'https://reports.example').redact('text')).toBe('text')
  })
})
