import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wireParameters, writeBody } from '#main/api/body.ts'
import { AccessToken } from '#main/api/token.ts'
import { dimensionEntry, dimensionNames } from '#shared/api/dimensions.ts'
import { endpointEntry, endpointPaths } from '#shared/api/endpoints.ts'
import type { ParameterType } from '#shared/api/parameters.ts'
import { day } from '#shared/values/day.ts'
import { checkProperty } from '#test/helpers/properties.ts'
import { tokenText, week } from '#test/helpers/service-client.ts'

const url = new URL('https://reports.example/v1/script/overview')
const token = new AccessToken(tokenText, url.origin)

/** For each type of parameter: what a caller gives, what JSON carries, and what a form carries. */
const examples: Record<
  ParameterType,
  { given: unknown; json: unknown; form: (name: string) => [string, string][] }
> = {
  text: { given: 'a +%é', json: 'a +%é', form: (name) => [[name, 'a +%é']] },
  flag: { given: true, json: true, form: (name) => [[name, '1']] },
  whole: { given: 3, json: 3, form: (name) => [[name, '3']] },
  day: { given: day('2026-11-14'), json: 20261114, form: (name) => [[name, '20261114']] },
  sort: {
    given: [
      { column: 1, direction: 'desc' },
      { column: 3, direction: 'asc' },
    ],
    json: '1:desc,3:asc',
    form: (name) => [[name, '1:desc,3:asc']],
  },
  texts: {
    given: ['source', 'page'],
    json: ['source', 'page'],
    form: (name) => [
      [`${name}[]`, 'source'],
      [`${name}[]`, 'page'],
    ],
  },
  wholes: {
    given: [1, 5],
    json: [1, 5],
    form: (name) => [
      [`${name}[]`, '1'],
      [`${name}[]`, '5'],
    ],
  },
  filters: {
    given: [
      { column: 'source', operator: 'equals', value: 'a&b' },
      { column: '1', operator: 'empty', value: undefined },
    ],
    json: [
      { column: 'source', operator: 'equals', value: 'a&b' },
      { column: '1', operator: 'empty' },
    ],
    form: (name) => [
      [`${name}[0][column]`, 'source'],
      [`${name}[0][operator]`, 'equals'],
      [`${name}[0][value]`, 'a&b'],
      [`${name}[1][column]`, '1'],
      [`${name}[1][operator]`, 'empty'],
    ],
  },
  'text-or-texts': {
    given: ['r1', 'r2'],
    json: ['r1', 'r2'],
    form: (name) => [
      [`${name}[]`, 'r1'],
      [`${name}[]`, 'r2'],
    ],
  },
}

/** Every parameter of every endpoint, with the parents that it needs. */
const every = endpointPaths.flatMap((path) =>
  Object.entries(endpointEntry(path).parameters).map(([name, parameter]) => ({
    path,
    name,
    example: examples[parameter.type],
    given: {
      ...Object.fromEntries((parameter.needs ?? []).map((parent) => [parent, 'parent'])),
      [name]: examples[parameter.type].given,
    },
  })),
)

describe.each(every)('$path: $name', ({ path, name, example, given }) => {
  it('is written in JSON', () => {
    const body = writeBody('json', path, given, token, url)
    expect(body.contentType).toBe('application/json')
    expect(JSON.parse(body.text)).toMatchObject({ token: tokenText, [name]: example.json })
  })

  it('is written as form fields', () => {
    const body = writeBody('form', path, given, token, url)
    expect(body.contentType).toBe('application/x-www-form-urlencoded')
    expect([...new URLSearchParams(body.text)]).toEqual(
      expect.arrayContaining([['token', tokenText], ...example.form(name)]),
    )
  })
})

describe('what is left out', () => {
  const children = dimensionNames.flatMap((dimension) =>
    Object.entries(dimensionEntry(dimension).filters).flatMap(([name, { needs = [] }]) =>
      needs.map((parent) => ({ dimension, name, parent, others: needs.filter((each) => each !== parent) })),
    ),
  )

  it.each(children)('$name of $dimension without $parent', ({ dimension, name, parent, others }) => {
    const path = endpointPaths.find((each) => each === `script/${dimension}`) ?? 'script/overview'
    const given = Object.fromEntries([name, ...others].map((each) => [each, 'set']))
    expect(wireParameters(path, given)).not.toHaveProperty(name)
    expect(wireParameters(path, { ...given, [parent]: '' })).not.toHaveProperty(name)
    expect(wireParameters(path, { ...given, [parent]: 'set' })).toHaveProperty(name, 'set')
  })

  it('a grandchild whose parent was left out', () => {
    expect(wireParameters('direct/geography', { region: 'r', city: 'c' })).toEqual({})
  })

  it('what is not given, empty, or no parameter of the endpoint', () => {
    const given = {
      ...week,
      instance: undefined,
      source: '',
      token: 'another',
      constructor: 'x',
      browser: 'b',
    }
    expect(wireParameters('script/overview', given)).toEqual({ start: 20261114, end: 20261120 })
  })

  it('empty lists', () => {
    expect(wireParameters('raw/request', { additional: [], filters: [] })).toEqual({})
  })

  it('not false, and not zero', () => {
    expect(wireParameters('raw/request', { send_email: false })).toEqual({ send_email: false })
    expect(
      new URLSearchParams(writeBody('form', 'raw/request', { send_email: false }, token, url).text).get(
        'send_email',
      ),
    ).toBe('0')
  })
})

describe('text in bodies', () => {
  it('survives in both forms', () => {
    checkProperty(
      'body text',
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (search) => {
        const json: unknown = JSON.parse(writeBody('json', 'script/browsers', { search }, token, url).text)
        const form = new URLSearchParams(writeBody('form', 'script/browsers', { search }, token, url).text)
        expect(json).toEqual({ token: tokenText, search })
        expect(form.get('search')).toBe(search)
      }),
    )
  })
})
