import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, decodeObjectText, decodeText, decodeTexts } from '#main/api/decode/json.ts'
import { checkProperty } from '#test/helpers/properties.ts'

/** A value, and how it is written where that is not as JavaScript would. */
type Written = { readonly json: string; readonly value: unknown }

const long = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map((number): Written => ({
  json: String(number),
  value:
    BigInt(Number.MAX_SAFE_INTEGER) >= (number < 0n ? -number : number) ? Number(number) : String(number),
}))
const plain = fc
  .oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.constantFrom(true, false, null, 1e300, 12345678901234567.5, 0.12345678901234567),
    fc.string(),
    // Texts with numbers, quotes and backslashes in them.
    fc.string({ unit: fc.constantFrom('"', '\\', ',', '[', '1234567890123456789', ' ', ':') }),
  )
  .map((value): Written => {
    const json = JSON.stringify(value)
    return { json, value: /^-?\d{16,}$/.test(json) && !Number.isSafeInteger(value) ? json : value }
  })

const tree = fc.letrec<{ value: Written }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    { arbitrary: long, weight: 2 },
    { arbitrary: plain, weight: 2 },
    fc.array(tie('value'), { maxLength: 4 }).map((items): Written => ({
      json: `[${items.map(({ json }) => json).join(', ')}]`,
      value: items.map(({ value }) => value),
    })),
    fc
      .dictionary(
        fc.string().filter((name) => name !== '__proto__'),
        tie('value'),
        { maxKeys: 4 },
      )
      .map((members): Written => {
        const entries = Object.entries(members)
        return {
          json: `{${entries.map(([name, { json }]) => `${JSON.stringify(name)}:${json}`).join(',')}}`,
          value: Object.fromEntries(entries.map(([name, { value }]) => [name, value])),
        }
      }),
  ),
})).value

describe('JSON', () => {
  it('keeps every digit of whole numbers, and all else is as it was', () => {
    checkProperty(
      'whole numbers',
      fc.property(tree, ({ json, value }) => {
        expect(parseJson(json)).toEqual(value)
      }),
    )
  })

  it('that is damaged stays damaged', () => {
    checkProperty(
      'damaged JSON',
      fc.property(tree, fc.nat(), ({ json }, at) => {
        const cut = json.slice(0, at % json.length)
        const isJson = (() => {
          try {
            JSON.parse(cut)
            return true
          } catch {
            return false
          }
        })()
        if (isJson) parseJson(cut)
        else expect(() => parseJson(cut)).toThrow(SyntaxError)
      }),
    )
  })
})

/** Encodes as a service may: spaces as `%20` or `+`, whatever else as it must be. */
const encode = (text: string, plus: boolean) => encodeURIComponent(text).replaceAll('%20', plus ? '+' : '%20')

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('+', '%', ' ', 'a', '2', 'B', 'é', '中', '😀', '\n', '"') }),
)

/** What no decoder can make sense of: no hexadecimal digits, too few of them, bytes that are no UTF-8. */
const brokenEscape = fc.constantFrom(
  '%',
  '%z',
  '%zz',
  '%2',
  '%g0',
  '%FF',
  '%C3',
  '%ed%a0%80',
  '%c0%af',
  '%F5%80%80%80',
  '%80',
)

describe('decoding text', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['a%20b+c', 'a b c'],
    ['1%2B1', '1+1'],
    ['%', '%'],
    ['100%', '100%'],
    ['%zz+%zz', '%zz %zz'],
    ['Mozilla%2F5.0+%zz+(X%3B+100%+sure)', 'Mozilla/5.0 %zz (X; 100% sure)'],
    ['caf%C3%A9', 'café'],
    ['caf%c3%a9', 'café'],
    ['caf%C3+%C3%A9', 'caf%C3 é'],
    ['%E4%B8%AD%E4%B8', '中%E4%B8'],
    ['%F0%9F%98%80%F0%9F', '😀%F0%9F'],
    ['%C0%AF%2F', '%C0%AF/'],
    ['%ED%A0%80%21', '%ED%A0%80!'],
    ['%F4%90%80%80%21', '%F4%90%80%80!'],
    ['%E0%80%80%21', '%E0%80%80!'],
    ['%F0%80%80%80%21', '%F0%80%80%80!'],
    ['%25zz', '%zz'],
    ['%2525', '%25'],
    ['é%20中', 'é 中'],
  ])('reads %j as %j', (encoded, decoded) => {
    expect(decodeText(encoded)).toBe(decoded)
  })

  it('gives back every text that was encoded', () => {
    checkProperty(
      'text identity',
      fc.property(anyText, fc.boolean(), (text, plus) => {
        expect(decodeText(encode(text, plus))).toBe(text)
      }),
      5000,
    )
  })

  it('leaves broken escapes as they came and decodes what is around them', () => {
    checkProperty(
      'broken escapes',
      fc.property(fc.array(fc.tuple(anyText, brokenEscape)), anyText, (parts, last) => {
        // A letter after each broken escape keeps what follows from completing it.
        const written =
          parts.map(([text, broken]) => `${encode(text, true)}${broken}~`).join('') + encode(last, false)
        const expected = parts.map(([text, broken]) => `${text}${broken}~`).join('') + last
        expect(decodeText(written)).toBe(expected)
      }),
      3000,
    )
  })

  it('stays quick for a long text that is broken throughout', () => {
    const escapes = 200_000
    expect(decodeText('%FF'.repeat(escapes))).toBe('%FF'.repeat(escapes))
  })

  it('decodes many texts as each on its own', () => {
    const some = fc.oneof(
      anyText.map((text) => encode(text, true)),
      fc.string(),
      brokenEscape,
      fc.constantFrom('\n', '%0A'),
    )
    checkProperty(
      'many texts',
      fc.property(fc.array(some), (texts) => {
        expect(decodeTexts(texts)).toEqual(texts.map(decodeText))
      }),
      3000,
    )
  })
})

describe('decoding an encoded object', () => {
  it('gives back every object that was encoded as a whole', () => {
    checkProperty(
      'object identity',
      fc.property(fc.integer(), anyText, fc.boolean(), (id, name, plus) => {
        expect(decodeObjectText(encode(JSON.stringify({ id, name }), plus))).toEqual({ id, name })
      }),
    )
  })

  it('gives back every object whose texts alone were encoded', () => {
    checkProperty(
      'object with encoded texts',
      fc.property(fc.integer(), anyText, fc.boolean(), (id, name, plus) => {
        expect(decodeObjectText(JSON.stringify({ id, name: encode(name, plus) }))).toEqual({ id, name })
      }),
    )
  })

  it.each(['', 'Chrome', '[1]', '%5B1%5D', 'null', '12', '"x"', '{broken', '%7Bbroken'])(
    'finds none in %j',
    (cell) => {
      expect(decodeObjectText(cell)).toBeUndefined()
    },
  )

  it('takes no member for a prototype', () => {
    const found = decodeObjectText('{"id":1,"name":"a","__proto__":{"polluted":true}}')
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype)
    expect(found).toEqual({ id: 1, name: 'a' })
  })
})
