import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { checkEcho } from '#main/api/decode/table.ts'
import { addDays, day, dayToWire } from '#shared/values/day.ts'
import { browsersAnswer, overviewAnswer } from '#test/helpers/answers.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const fixture = readFileSync('test/fixtures/answers/browsers-text-counts.json', 'utf8')
const ofFixture = { start: day('2026-11-18'), end: day('2026-11-18'), instance: '1234567890' }

/** Whether an answer to a question is taken, with this echo. */
function isTaken(given: Record<string, unknown>, query: Record<string, unknown>): boolean {
  const overview = decodeAnswer('script/overview', { ...overviewAnswer, query })
  const table = decodeAnswer('script/browsers', {
    ...browsersAnswer,
    query: { ...query, results: 2, pages: 1 },
  })
  const taken = [overview, table].map((answer) => {
    try {
      checkEcho(given, answer)
      return true
    } catch (error) {
      expect(error).toMatchObject({ name: 'ServiceFailure', failure: { kind: 'malformed' } })
      return false
    }
  })
  expect(new Set(taken).size).toBe(1)
  return taken[0] ?? false
}

describe('an answer', () => {
  it('is taken where its echo says what was asked', () => {
    const answer = decodeAnswer('script/browsers', fixture)
    expect(() => checkEcho(ofFixture, answer)).not.toThrow()
  })

  it.each([
    [{ end: day('2026-11-19') }, /for end 2026-11-18 instead of end 2026-11-19/],
    [{ start: day('2026-11-17') }, /for start 2026-11-18 instead of start 2026-11-17/],
    [{ instance: '77' }, /for instance 1234567890 instead of instance 77\. Nothing was saved/],
    [{ instance: undefined }, /for instance 1234567890 instead of no instance/],
  ])('is refused in words where that is something else: %j', (change, words) => {
    const answer = decodeAnswer('script/browsers', fixture)
    expect(() => checkEcho({ ...ofFixture, ...change }, answer)).toThrow(words)
  })

  it('is taken exactly where days and instance are those that were asked for, however they are written', () => {
    const days = fc.integer({ min: 0, max: 3 }).map((place) => addDays(day('2026-11-18'), place))
    const instance = fc.constantFrom(undefined, '77', '9007199254740993', '9007199254740992', '0077')
    const asText = fc.boolean()
    checkProperty(
      'echoes',
      fc.property(
        days,
        days,
        instance,
        days,
        days,
        instance,
        asText,
        (start, end, asked, from, to, echoed, text) => {
          const written = (value: number) => (text ? String(value) : value)
          const query = {
            start: written(dayToWire(from)),
            end: written(dayToWire(to)),
            instance: echoed ?? false,
          }
          const isSame =
            (asked === undefined ? 0 : BigInt(asked)) === (echoed === undefined ? 0 : BigInt(echoed))
          // A service that says nothing of an instance may not echo it.
          const isSilent = echoed === undefined
          expect(isTaken({ start, end, instance: asked }, query)).toBe(
            start === from && end === to && (isSame || isSilent),
          )
        },
      ),
      2000,
    )
  })

  it('is taken whether its texts are echoed encoded or not, and refused with another one', () => {
    const texts = fc
      .string({ unit: fc.constantFrom('a', '+', '%', '2', 'B', ' ', 'é', '/') })
      .filter((text) => text.trim() !== '')
    checkProperty(
      'echoed texts',
      fc.property(texts, fc.constantFrom('source', 'campaign'), fc.boolean(), (text, name, encoded) => {
        expect(isTaken({ [name]: text }, { [name]: encoded ? encodeURIComponent(text) : text })).toBe(true)
        expect(isTaken({ [name]: text }, { [name]: encodeURIComponent(`${text}x`) })).toBe(false)
      }),
    )
  })

  it.each([
    {},
    { start: false, end: null, instance: false },
    { start: 'x', instance: 0, source: 7 },
    { instance: 'All+Instances' },
  ])('is taken where its echo says nothing: %j', (query) => {
    expect(isTaken({ ...ofFixture, instance: undefined, source: 'a' }, query)).toBe(true)
  })
})
