import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBody } from '#main/api/transport/exchange.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const json = (charset: string) => `application/json; charset=${charset}`
const unsaid = 'application/json'

/** Letters that Latin-1 has and that are no part of a sequence of UTF-8. */
const letters = fc.string({
  unit: fc
    .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0xc0, max: 0xff }))
    .map((point) => String.fromCodePoint(point)),
})
/** Any text, the characters of every plane. */
const anything = fc.string({ unit: 'binary' })

const marked = (text: string) => Buffer.from(`\uFEFF${text}`)
const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16()

describe('a body', () => {
  it('in UTF-8 is read as such, whatever its header says', () => {
    const headers = fc.constantFrom(
      unsaid,
      '',
      json('utf-8'),
      json('"UTF-8"'),
      json('ISO-8859-1'),
      json('nobody-knows'),
      json('shift_jis'),
    )
    checkProperty(
      'bodies in UTF-8',
      fc.property(anything, headers, fc.boolean(), (text, header, mark) => {
        const bytes = mark ? marked(text) : Buffer.from(text)
        // A text may begin with a mark of its own, which is taken off as any.
        expect(decodeBody(bytes, header)).toEqual({
          text: mark ? text : text.replace(/^\uFEFF/, ''),
          assumed: false,
        })
      }),
    )
  })

  it('in Latin-1 has its letters, whether or not that is said', () => {
    checkProperty(
      'bodies in Latin-1',
      fc.property(
        letters,
        fc.constantFrom(
          unsaid,
          json('latin1'),
          json("'iso-8859-1'"),
          json('windows-1252'),
          json('nobody-knows'),
        ),
        (text, header) => {
          const { text: read, assumed } = decodeBody(Buffer.from(text, 'latin1'), header)
          expect(read).toBe(text)
          expect(assumed).toBe(/[^\0-\x7f]/.test(text) && (header === unsaid || header.includes('nobody')))
        },
      ),
    )
  })

  it('in UTF-16 is read by its mark or its header', () => {
    checkProperty(
      'bodies in UTF-16',
      fc.property(
        anything.filter((text) => !text.startsWith('\uFEFF')),
        (text) => {
          expect(decodeBody(Buffer.from(`\uFEFF${text}`, 'utf16le'), unsaid).text).toBe(text)
          expect(decodeBody(swapped(`\uFEFF${text}`), json('utf-8')).text).toBe(text)
          expect(decodeBody(Buffer.from(text, 'utf16le'), json('utf-16le')).text).toBe(text)
          expect(decodeBody(swapped(text), json('UTF-16BE')).text).toBe(text)
        },
      ),
      200,
    )
  })

  it.each([
    ['shift_jis', [0x93, 0x8c, 0x8b, 0x9e], '東京'],
    ['windows-1251', [0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0], 'Москва'],
    ['iso-8859-2', [0xa3, 0xf3, 0x64, 0xbc], 'Łódź'],
    ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x45, 0x6c, 0x35, 0x7e, 0x1b, 0x28, 0x42], '東京'],
  ])('in %s is read as its header says', (charset, bytes, text) => {
    expect(decodeBody(Uint8Array.from(bytes), json(charset))).toEqual({ text, assumed: false })
  })

  it.each([
    [
      'UTF-8 of which a byte is lost',
      Buffer.from('Größe, Café, München').filter((_, at) => at !== 3),
      unsaid,
    ],
    ['no UTF-8, though that is said', Buffer.from('Größe', 'latin1'), json('utf-8')],
    ['not of the charset that is said', Buffer.from([0x93, 0x22]), json('shift_jis')],
    ['half a character of UTF-16', Buffer.from([0x00, 0xd8, 0x41, 0x00]), json('utf-16le')],
  ])('is refused where it is %s, rather than read with signs for what is lost', (_, bytes, header) => {
    expect(() => decodeBody(bytes, header)).toThrow('Ended: charset')
  })
})
