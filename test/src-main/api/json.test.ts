import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '#main/api/json.ts'
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
