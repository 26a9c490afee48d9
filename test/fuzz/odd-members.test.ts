import { describe, expect, it } from 'vitest'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import type { Forgiven } from '#main/api/decode/json.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import type { AnswerKind, EndpointPath } from '#shared/api/endpoints.ts'
import { endpointEntry, endpointPaths } from '#shared/api/endpoints.ts'
import {
  browsersAnswer,
  instancesAnswer,
  overviewAnswer,
  rawAddressAnswer,
  rawDoneAnswer,
  rawReportAnswer,
  rawRequestedAnswer,
  rawRow,
  rawTableAnswer,
  sessionsAnswer,
} from '#test/helpers/answers.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'

const chart = [
  ['Date', 'Bad'],
  ['20261114', 4],
  ['20261115', 5],
]
const query = { page: 1, limit: 20, results: 3, pages: 1 }

/** An answer of each kind with several entries in each of its lists. */
const sound: Readonly<Record<AnswerKind, object>> = {
  overview: { ...overviewAnswer, chart },
  table: { ...browsersAnswer, chart },
  instances: instancesAnswer,
  sources: { sources: ['All+Sources', 'a%2Bb', 'c'], query: { ...query, instance: 12 } },
  campaigns: { campaigns: ['All+Campaigns', 'c', 'd'], query: { ...query, source: 'a' } },
  'raw-table': {
    ...rawTableAnswer,
    table: { rows: [rawRow, { ...rawRow, id: 'r2' }, { ...rawRow, id: 'r3', status: 'Ready' }] },
    query: { ...rawTableAnswer.query, results: 3 },
  },
  'raw-report': rawReportAnswer,
  'raw-requested': rawRequestedAnswer,
  'raw-done': rawDoneAnswer,
  'raw-address': rawAddressAnswer,
}

const soundFor = (path: EndpointPath): object =>
  path.endsWith('/sessions') ? { ...sessionsAnswer, chart } : sound[endpointEntry(path).answer]

/** What stands for something that JSON has no words for, until the answer is a text. */
const bare = (word: string) => `@@${word}@@`
const written = (answer: unknown) => JSON.stringify(answer).replace(/"@@([^@]*)@@"/g, '$1')

const missing = Symbol('missing')

/** What comes in place of a member. None of these is what any member of a sound answer is. */
const oddForms: readonly unknown[] = [
  ...[missing, null, true, false, '', ' ', 'odd', '%zz', '-', 'n/a', '< 10', 'x'.repeat(20_000)],
  ...[[], {}, [[]], [null], ['odd'], { odd: 1 }, { odd: { odd: [{ odd: null }] } }, { 0: 'odd' }],
  ...[bare('NaN'), bare('Infinity'), bare('-Infinity'), bare('1e999'), bare('-nan')],
  ...[-7, 0.5, 777, '777', '1,777', '1.777', '9007199254740993', bare('9007199254740993')],
  ...['0000-00-00 00:00:00', '0000-00-00', '-0001-11-30T00:00:00+00:00', '0001-01-01T00:00:00Z'],
  ...['1970-01-01T00:00:00Z', '2026-13-41T00:00:00Z', '2026-02-31', 'soon', 20260231],
]

type Place = readonly (string | number)[]

/** Every member and every entry of an answer, however deep. */
function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place]
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  const within = entries.flatMap(([name, member]) => placesIn(member, [...place, name]))
  return place.length === 0 ? within : [place, ...within]
}

/** A copy with another value in a place. */
function replaced(value: unknown, [name, ...rest]: Place, by: unknown): unknown {
  if (name === undefined) return by
  const copy = structuredClone(value) as Record<string | number, unknown>
  const member = replaced(copy[name], rest, by)
  if (member === missing) Reflect.deleteProperty(copy, name)
  else copy[name] = member
  return copy
}

/** Where something of an answer is found when it was decoded: an entry of a list, or members. */
type Decoded = { readonly list: Place; readonly entry: number } | { readonly members: readonly Place[] }

const only = (...members: readonly Place[]): Decoded => ({ members })

/** Where a member of the first two levels goes that is in no list. */
function placeOf(kind: AnswerKind, place: Place): Decoded {
  const [first = '', second = '', third, fourth] = place
  if (first === 'chart') return only(['chart'], ['unknown', 'chart'])
  if (first === 'query') {
    const inQuery = second === 'pages' || kind === 'overview'
    return only(inQuery ? ['query', second] : ['query', 'echo', second])
  }
  switch (kind) {
    case 'overview':
    case 'table':
      if (first === 'total') return only(['total', second], ['unknown', 'total'])
      if (second !== 'rows') return only(['table', 'all'])
      if (fourth === undefined || fourth === 0) return { list: ['table', 'rows'], entry: Number(third) }
      return only(['table', 'rows', Number(third), 'cells', Number(fourth) - 1])
    case 'instances':
    case 'sources':
    case 'campaigns':
      if (third === undefined || third === 'id') return { list: [first], entry: Number(second) }
      if (third === 'owner') return only([first, second, 'unknown'])
      return only([first, second, third])
    case 'raw-table':
      if (first === 'processing')
        return only(second === '' ? ['limits'] : ['limits', ...place.slice(2)], ['usage'])
      if (fourth === undefined || fourth === 'id') return { list: ['rows'], entry: Number(third) }
      return only(['rows', Number(third), fourth])
    case 'raw-report':
    case 'raw-requested':
    case 'raw-done':
    case 'raw-address':
      return only([first])
  }
}

/** What an odd member may take away with it, and why. */
const exceptions: readonly {
  readonly kinds: readonly AnswerKind[]
  readonly place: RegExp
  readonly reason: string
}[] = [
  {
    kinds: ['overview', 'table'],
    place: /^total$/,
    reason: 'an answer without any total counts nothing: it is another answer',
  },
  {
    kinds: ['table', 'raw-table'],
    place: /^table(?:\.rows)?$/,
    reason: 'the rows are what was asked for; none is not the same as unknown',
  },
  {
    kinds: ['table'],
    place: /^table\.headers(?:\.\d+)?$/,
    reason: 'figures under a header that is not certain would be other figures',
  },
  {
    kinds: ['instances', 'sources', 'campaigns'],
    place: /^(?:instances|sources|campaigns)$/,
    reason: 'the list is what was asked for; none is not the same as unknown',
  },
  {
    kinds: ['overview', 'table', 'instances', 'sources', 'campaigns', 'raw-table'],
    place: /^query(?:\.results)?$/,
    reason: 'what the figures are about, and how much of it has come, is never guessed',
  },
  {
    kinds: ['raw-report', 'raw-requested'],
    place: /^id$/,
    reason: 'a report under an uncertain id could be another one',
  },
  {
    kinds: ['raw-requested', 'raw-done'],
    place: /^success$/,
    reason: 'whether it was done is never guessed: the list of reports tells',
  },
  {
    kinds: ['raw-done'],
    place: /^feedback(?:\.(?:pass|fail))?$/,
    reason: 'which reports were removed is never guessed: the list of reports tells',
  },
  { kinds: ['raw-address'], place: /^url$/, reason: 'nothing is fetched from an uncertain address' },
]

const exceptionFor = (kind: AnswerKind, place: Place) =>
  exceptions.find((exception) => exception.kinds.includes(kind) && exception.place.test(place.join('.')))

const masked = Symbol('masked')

const valueAt = (value: unknown, place: Place): unknown =>
  place.reduce<unknown>(
    (found, name) => (found as Readonly<Record<string | number, unknown>> | undefined)?.[name],
    value,
  )

/** A decoded answer without what an odd member may change, and without the count of what could not be read. */
function withoutPlace(decoded: object, place: Decoded, entries: number): unknown {
  const { unreadable, ...rest } = decoded as { unreadable?: unknown }
  if ('members' in place)
    return place.members.reduce<unknown>(
      (left, member) =>
        valueAt(left, member.slice(0, -1)) === undefined ? left : replaced(left, member, missing),
      rest,
    )
  const list = valueAt(rest, place.list) as readonly unknown[]
  const isLeftOut = list.length < entries
  expect(isLeftOut).toBe(unreadable !== undefined)
  return replaced(rest, place.list, list.toSpliced(place.entry, isLeftOut ? 0 : 1, masked))
}

/** Whether a figure can have been read from what came in its place. */
const isReadFrom = (figure: number, form: unknown) =>
  [form, typeof form === 'string' ? form.replaceAll(/[,@]/g, '') : form].some(
    (value) => Number(value) === figure,
  )

/** Checks that nothing but one member of an answer is other than it is without the oddity. */
function check(path: EndpointPath, place: Place, form: unknown): 'decoded' | 'malformed' {
  const kind = endpointEntry(path).answer
  const answer = soundFor(path)
  const exception = exceptionFor(kind, place)
  let decoded: object
  try {
    decoded = decodeAnswer(path, written(replaced(answer, place, form)))
  } catch (error) {
    if (exception && error instanceof ServiceFailure && error.failure.kind === 'malformed') return 'malformed'
    throw error
  }
  if (exception) return 'decoded'
  const expected: object = decodeAnswer(path, written(answer))
  const where = placeOf(kind, place)
  const entries = 'list' in where ? (valueAt(expected, where.list) as readonly unknown[]).length : 0
  expect(withoutPlace(decoded, where, entries)).toEqual(withoutPlace(expected, where, entries))
  if ('members' in where) {
    const figure = valueAt(decoded, where.members[0] ?? [])
    const isSame = figure === valueAt(expected, where.members[0] ?? [])
    if (typeof figure === 'number' && !isSame) expect(isReadFrom(figure, form)).toBe(true)
  }
  return 'decoded'
}

type Case = { readonly path: EndpointPath; readonly place: Place; readonly form: unknown }

/** An entry that is missing from a list is one that never was. */
const isPossible = ({ place, form }: Case) => form !== missing || typeof place.at(-1) === 'string'

const everyCase: readonly Case[] = endpointPaths
  .flatMap((path) =>
    placesIn(soundFor(path)).flatMap((place) => oddForms.map((form): Case => ({ path, place, form }))),
  )
  .filter(isPossible)

/** So many of the cases, every place at least once as far as they suffice. */
function someOf(cases: readonly Case[], number: number): readonly Case[] {
  const random = randomFrom(seed)
  const keyed = cases.map((one) => ({ one, key: random() })).sort((left, right) => left.key - right.key)
  const first = new Map(
    keyed.map(({ one }) => [`${endpointEntry(one.path).answer} ${one.place.join('.')}`, one]),
  )
  const chosen = new Set(first.values())
  const others = keyed.flatMap(({ one }) => (chosen.has(one) ? [] : one))
  return [...first.values(), ...others].slice(0, number)
}

describe('an answer with one odd member', () => {
  it('is everything else that it is without the oddity', () => {
    console.log(`odd members: PROPERTY_SEED=${seed}`)
    const cases = someOf(everyCase, runs(1_000, 10_000))
    const counts = { decoded: 0, malformed: 0 }
    for (const { path, place, form } of cases) {
      try {
        counts[check(path, place, form)] += 1
      } catch (error) {
        throw new Error(
          `${path}, ${place.join('.')} as ${String(JSON.stringify(form) ?? 'missing').slice(0, 80)}`,
          {
            cause: error,
          },
        )
      }
    }
    console.log(`${counts.decoded} decoded, ${counts.malformed} malformed of ${everyCase.length} cases`)
    expect(counts.decoded + counts.malformed).toBe(Math.min(cases.length, everyCase.length))
  })

  it('has each exception for a reason that occurs', () => {
    const places = everyCase.map(({ path, place }) => ({ kind: endpointEntry(path).answer, place }))
    for (const exception of exceptions)
      expect(places.some(({ kind, place }) => exceptionFor(kind, place) === exception)).toBe(true)
  })
})

const notice =
  '<br />\n<b>Deprecated</b>:  strlen(): Passing null to "$text" in <b>/srv/{app}.php</b> on line <b>7</b><br />\n'

/** What stands around a whole answer, and how that is noted. */
const around: readonly (readonly [before: string, after: string, noted: readonly Forgiven[]])[] = [
  [notice, '', ['text-around']],
  ['', `\n${notice.replace('{app}', 'app')}`, ['text-around']],
  ['\uFEFF', '', ['text-around']],
  [")]}',\n", '', ['text-around']],
  ['for(;;);', '', ['text-around']],
  ['while(1);', '', ['text-around']],
  ['{}&&', '', ['text-around']],
  ['/*-secure-\n', '\n*/', ['text-around']],
  ['callback(', ');', ['text-around']],
  ['[20-Nov-2026 10:00:00 UTC] PHP Notice:  Undefined index\n', '', ['text-around']],
  ['<!-- served by web-3 -->', '<!-- 0.2 s -->', ['text-around']],
  [' \n', '\r\n', []],
]

describe.each(around)('an answer between %j and %j', (before, after, noted) => {
  it.each(endpointPaths)('of %s is read as without', (path) => {
    const answer = JSON.stringify(soundFor(path))
    const notes = new Set<Forgiven>()
    const plain = new Set<Forgiven>()
    const expected = decodeAnswer(path, answer, (kind) => plain.add(kind))
    expect(decodeAnswer(path, `${before}${answer}${after}`, (kind) => notes.add(kind))).toEqual(expected)
    expect(notes).toEqual(new Set([...plain, ...noted]))
  })
})

describe('a damaged answer', () => {
  it.each([
    [`${notice}{"success":true,"id":"r1"`],
    [`${notice}{"outer":{"success":true,"id":"r1"}`],
    [`${notice}{"outer":12,,"inner":{"success":true,"id":"r1"}}`],
    [`[1, {"success":true,"id":"r1"}`],
    [`{"success":false}{"success":true,"id":"r1"}`],
    [`"text {"success":true,"id":"r1"}`],
    [`<!doctype html><script>var answer = {"success":true,"id":"r1"}</script>`],
    [`<html><body>{"success":true,"id":"r1"}</body></html>`],
  ])('is not taken for a part of it: %s', (text) => {
    expect(() => decodeAnswer('raw/request', text)).toThrow(ServiceFailure)
  })
})
