import { describe, expect, it } from 'vitest'
import { dimensionNames, headersOf, offers, reportName, totalsOf } from '#shared/api/dimensions.ts'
import { endpointEntry, endpointPaths, tablePath } from '#shared/api/endpoints.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { limits } from '#shared/api/parameters.ts'

const words = (text: string) => text.trim().split(/\s+/)

/** The specification's list of endpoints, family by family. */
const specified = [
  ...words('overview sessions browsers operating-systems devices device-types geography networks').map(
    (each) => `direct/${each}`,
  ),
  ...words(
    'overview sessions browsers operating-systems devices device-types geography networks connections referrers',
  ).map((each) => `script/${each}`),
  ...words('table report request cancel download remove').map((each) => `raw/${each}`),
  ...words('instances sources campaigns').map((each) => `interface/${each}`),
]

const common = words('start end instance source campaign chart')
const ofTables = words('rates rules search startswith sort page limit')

/** Extra filter parameters by path suffix. */
const filters: Readonly<Record<string, string>> = {
  browsers: 'browser browser_version',
  'operating-systems': 'os os_version',
  devices: 'manufacturer model',
  'device-types': 'type',
  geography: 'country region city',
  networks: 'network',
  connections: 'connection',
  referrers: 'host path',
}

const others: Readonly<Record<string, string>> = {
  'raw/table': 'search startswith sort page limit processing_usage',
  'raw/report': 'raw',
  'raw/request': 'type instance start end standard name additional filters send_email',
  'raw/cancel': 'raw',
  'raw/download': 'raw',
  'raw/remove': 'raw',
  'interface/instances': 'name all page limit',
  'interface/sources': 'start end instance source all page limit',
  'interface/campaigns': 'start end instance source campaign all page limit',
}

function parametersOf(path: string): string[] {
  const other = others[path]
  if (other !== undefined) return words(other)
  const suffix = path.split('/')[1] ?? ''
  if (suffix === 'overview') return common
  return [...common, ...(filters[suffix] ? words(filters[suffix]) : []), ...ofTables]
}

describe('the endpoints', () => {
  it('are the 27 of the specification', () => {
    expect(endpointPaths).toHaveLength(27)
    expect([...endpointPaths].sort()).toEqual([...specified].sort())
  })

  it.each(endpointPaths)('%s has the parameters of the specification', (path) => {
    expect(Object.keys(endpointEntry(path).parameters).sort()).toEqual(parametersOf(path).sort())
  })

  it.each(endpointPaths)('%s never has the token among what callers give', (path) => {
    expect(endpointEntry(path).parameters).not.toHaveProperty('token')
  })

  it.each(endpointPaths)('%s requires what the specification requires', (path) => {
    const requiredOf: Readonly<Record<string, string>> = {
      'raw/table': '',
      'raw/request': 'type instance start end standard',
      'interface/instances': '',
    }
    const expected = requiredOf[path] ?? (path.startsWith('raw/') ? 'raw' : 'start end')
    const { parameters } = endpointEntry(path)
    const required = Object.keys(parameters).filter((name) => parameters[name]?.required)
    expect(required.sort()).toEqual(
      words(expected)
        .filter((each) => each !== '')
        .sort(),
    )
  })

  it('may be asked twice, except for those that do something', () => {
    const once = endpointPaths.filter((path) => !endpointEntry(path).repeatable)
    expect(once).toEqual(['raw/request', 'raw/cancel', 'raw/remove'])
  })
})

describe('defaults and limits', () => {
  const ofParameter = (name: string) =>
    endpointPaths.flatMap((path) => {
      const parameter = endpointEntry(path).parameters[name]
      return parameter ? [{ path, parameter }] : []
    })

  it.each([
    ['page', 1],
    ['limit', 20],
    ['chart', false],
    ['rates', false],
    ['rules', false],
    ['startswith', false],
    ['all', true],
    ['send_email', true],
    ['processing_usage', false],
  ])('%s is %j unless given', (name, value) => {
    expect(ofParameter(name).length).toBeGreaterThan(0)
    for (const { parameter } of ofParameter(name)) expect(parameter.default).toBe(value)
  })

  it('sort is 1:desc for tables and 3:desc for raw reports', () => {
    for (const { path, parameter } of ofParameter('sort')) {
      expect(parameter.default).toBe(path === 'raw/table' ? '3:desc' : '1:desc')
    }
  })

  it('a page has at most 1000 rows everywhere', () => {
    for (const { parameter } of ofParameter('limit')) expect(parameter.maximum).toBe(1000)
  })

  it('are those of the specification', () => {
    expect(limits).toEqual({
      rowsPerPage: 1000,
      rowsPerPageByDefault: 20,
      sortKeys: 3,
      rawDaysBack: 90,
      rawStandardColumnsAtLeast: 1,
      rawAdditionalColumnsByDefault: 10,
    })
  })

  it.each<[EndpointPath, string, string]>([
    ['direct/browsers', 'browser_version', 'browser'],
    ['script/operating-systems', 'os_version', 'os'],
    ['direct/devices', 'model', 'manufacturer'],
    ['script/geography', 'region', 'country'],
    ['direct/geography', 'city', 'country region'],
    ['script/referrers', 'path', 'host'],
  ])('%s: %s needs %s', (path, child, parents) => {
    expect(endpointEntry(path).parameters[child]?.needs).toEqual(words(parents))
  })

  it('no other parameter needs another', () => {
    const needing = endpointPaths.flatMap((path) =>
      Object.entries(endpointEntry(path).parameters)
        .filter(([, parameter]) => parameter.needs)
        .map(([name]) => name),
    )
    expect(new Set(needing)).toEqual(new Set(words('browser_version os_version model region city path')))
  })
})

describe('the tables', () => {
  it.each([
    ['direct', 'sessions', 'Instance|Requests|Non-Suspect|Suspect|Mobile'],
    ['direct', 'device-types', 'Type|Requests|Non-Suspect|Suspect|Mobile'],
    ['script', 'browsers', 'Browser|Requests|Responses|Good|Warning|Bad|Mobile|Ad Blocker'],
    ['script', 'operating-systems', 'OS|Requests|Responses|Good|Warning|Bad|Mobile|Ad Blocker'],
    ['script', 'devices', 'Manufacturer|Requests|Responses|Good|Warning|Bad|Mobile|Ad Blocker'],
    ['script', 'geography', 'Country|Requests|Responses|Good|Warning|Bad|Mobile|Ad Blocker'],
    ['script', 'networks', 'Network|Requests|Responses|Good|Warning|Bad|Mobile|Ad Blocker'],
    ['script', 'connections', 'Connection|Requests|Responses|Good|Warning|Bad|Mobile|Ad Blocker'],
    ['script', 'referrers', 'Host|Responses|Good|Warning|Bad|Mobile|Ad Blocker'],
  ] as const)('%s %s has its headers', (family, dimension, headers) => {
    expect(headersOf(family, dimension)).toEqual(headers.split('|'))
  })

  it('have their totals', () => {
    expect(totalsOf('direct')).toEqual(words('nonsuspect suspect mobile'))
    expect(totalsOf('script')).toEqual(words('drops good warning bad mobile adblocker'))
    expect(totalsOf('script', 'networks')).toEqual(words('drops good warning bad mobile adblocker'))
    expect(totalsOf('script', 'referrers')).toEqual(words('good warning bad mobile adblocker'))
  })

  it('are offered by their families alone', () => {
    const both = words(
      'sessions sources campaigns browsers operating-systems devices device-types geography networks',
    )
    expect(dimensionNames.filter((each) => offers('direct', each))).toEqual(both)
    expect(dimensionNames.filter((each) => offers('script', each))).toEqual([
      ...both,
      'connections',
      'referrers',
    ])
    expect(tablePath('direct', 'referrers')).toBeUndefined()
    expect(tablePath('script', 'sources')).toBeUndefined()
    expect(tablePath('direct', 'campaigns')).toBeUndefined()
    expect(tablePath('script', 'referrers')).toBe('script/referrers')
  })

  it('have names, each its own', () => {
    const names = (['direct', 'script'] as const).flatMap((family) => [
      reportName(family),
      ...dimensionNames.map((dimension) => reportName(family, dimension)),
    ])
    expect(new Set(names).size).toBe(names.length)
    expect(reportName('script', 'browsers')).toBe('Script by browser')
    expect(reportName('direct')).toBe('Direct overview')
  })
})
