import { readFileSync, readdirSync } from 'node:fs'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { AccessToken } from '../../../src-main/service/token.ts'
import { tokenText } from '../../helpers/service-client.ts'

const token = new AccessToken(tokenText)

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
    expect(token.reveal()).toBe(tokenText)
  })

  it('is revealed in this room by the body writer alone', () => {
    const room = `${import.meta.dirname}/../../../src-main/service`
    const files = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    const revealing = files.filter((name) => /\.reveal\b/.test(readFileSync(`${room}/${name}`, 'utf8')))
    expect(revealing).toEqual(['body.ts'])
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
    const odd = new AccessToken('pass wörd "99"/ä')
    expect(odd.redact(`x=${new URLSearchParams({ t: odd.reveal() }).toString()}`)).toBe('x=t=[token]')
    expect(odd.redact(JSON.stringify({ t: odd.reveal() }))).toBe('{"t":"[token]"}')
  })

  it('takes a very short token out only where it stands alone, so that figures stay right', () => {
    const short = new AccessToken('12')
    expect(short.redact('{"a":"12","b":[12,3],"c":"120"}')).toBe('{"a":"[token]","b":[12,3],"c":"120"}')
  })

  it('does nothing for an empty token', () => {
    expect(new AccessToken('').redact('text')).toBe('text')
  })
})
