import { describe, expect, it } from 'vitest'
import { characterWords, readTyped, strangeInToken } from '#shared/values/typed-text.ts'

const TOKEN = 'tok-0123_abc.DEF~+/='

/** Characters without a shape, as clipboards leave them at the ends of a text. */
const unseen = ['\u200b', '\u200e', '\u2060', '\u00ad', '\ufeff', '\u202a', '\u2067', '\u0000', '\u180e']
const blanks = [' ', '\u00a0', '\u2009', '\u3000', '\t', '\n', '\r\n', '\u2028', '\u0085', '\u202f']
const quoted = [
  ...['"', "'", '`', '“', '”', '‘', '’', '„', '«', '»', '‹', '「', '＂'].map((mark) => [mark, mark] as const),
  ...([
    ['“', '”'],
    ['„', '“'],
    ['»', '«'],
    ['‹', '›'],
    ['「', '」'],
    ['"', '”'],
    ['`', "'"],
  ] as const),
]

describe('a token', () => {
  it.each([...unseen, ...blanks])('is read without %j at its ends', (mark) => {
    for (const text of [mark + TOKEN, TOKEN + mark, mark + mark + TOKEN + mark])
      expect(readTyped(text, 'token')).toBe(TOKEN)
  })

  it.each(unseen)('is read without %j in it', (mark) => {
    expect(readTyped(TOKEN.replace('-', `${mark}-${mark}`), 'token')).toBe(TOKEN)
  })

  it.each(quoted)('is read without the quotes %s and %s', (begin, end) => {
    expect(readTyped(`${begin}${TOKEN}${end}`, 'token')).toBe(TOKEN)
    expect(readTyped(`\u200b${begin} ${TOKEN}\u00a0${end}\ufeff`, 'token')).toBe(TOKEN)
    expect(readTyped(`Bearer ${begin}${TOKEN}${end}`, 'token')).toBe(TOKEN)
  })

  it.each([
    ...['Bearer ', 'bearer\u00a0', 'Bearer: ', 'Authorization: Bearer ', 'authorization:bearer '],
    ...['Authorization: ', 'Token: ', 'token=', 'Token ', 'Access token: ', 'access_token=', 'API key: '],
    ...['X-Api-Key: ', 'X-Auth-Token:', 'Authorization: Token '],
  ])('is read without %j in front', (prefix) => {
    expect(readTyped(`${prefix}${TOKEN}`, 'token')).toBe(TOKEN)
    expect(readTyped(`"${prefix}${TOKEN}"`, 'token')).toBe(TOKEN)
  })

  it('is read as it stands in JSON and in a manual', () => {
    expect(readTyped(`"token": "${TOKEN}",`, 'token')).toBe(TOKEN)
    expect(readTyped(`<${TOKEN}>`, 'token')).toBe(TOKEN)
  })

  it.each(['bearer', 'token-7', 'tokenabc', 'keyring=7', 'a"b', '"half', 'basic-1'])(
    '%j stays as it is',
    (text) => {
      expect(readTyped(text, 'token')).toBe(text)
    },
  )

  it('has no character beyond visible ASCII', () => {
    expect(strangeInToken(TOKEN)).toBeUndefined()
    expect(['tok\u20110', 'to k', 'tök', 'tok\u{1f511}'].map(strangeInToken)).toEqual([
      ...['\u2011', ' ', 'ö', '\u{1f511}'],
    ])
  })
})

describe('a character', () => {
  it.each([
    ['\u2011', 'U+2011, a hyphen that does not break'],
    [' ', 'U+0020, a space'],
    ['\u2013', 'U+2013, a dash'],
    ['\u0430', 'U+0430, a Cyrillic letter'],
    ['\uff41', 'U+FF41, a full-width character'],
    ['\u{1f511}', 'U+1F511'],
  ])('is named', (character, words) => {
    expect(characterWords(character)).toBe(words)
  })
})

describe('other text', () => {
  it.each([
    ['name', '\ufeff Shop\u00a0 \t“North”\u200b', 'Shop “North”'],
    ['name', 'Family \u{1f468}\u200d\u{1f469} \u2764\ufe0f', 'Family \u{1f468}\u200d\u{1f469} \u2764\ufe0f'],
    ['value', '\u200b“Mozilla/5.0  (X11;\u00a0Linux)”\n', 'Mozilla/5.0  (X11; Linux)'],
    ['value', '"a" and "b"', '"a" and "b"'],
    ['value', '""deep""', 'deep'],
    ['value', '5" screen', '5" screen'],
    ['value', '‘O’Brien’', 'O’Brien'],
    ['value', 'O’Brien', 'O’Brien'],
    ['search', '«O’Brien\u2003 “North”» ', 'O\'Brien "North"'],
    ['search', '\u2060\u3000', ''],
    ['code', '\u2066192.0.2.\u200b7\u2069\u00a0', '192.0.2.7'],
  ] as const)('as %s: %j is %j', (purpose, text, read) => {
    expect(readTyped(text, purpose)).toBe(read)
  })

  it('is read as fast whatever it consists of', () => {
    for (const text of ['"'.repeat(20_000), ' '.repeat(20_000) + 'a', 'a' + '\u200b'.repeat(20_000) + 'b'])
      for (const purpose of ['name', 'value', 'search', 'code', 'token', 'address'] as const)
        expect(readTyped(text, purpose).length).toBeLessThanOrEqual(text.length)
  })
})

describe('a pasted address', () => {
  // With a search from each sign, it would take minutes.
  it('is read at once, however many signs are in it', () => {
    const address = `${';'.repeat(300_000)}x`
    expect(readTyped(`${address}.;`, 'address')).toBe(address)
  })
})
