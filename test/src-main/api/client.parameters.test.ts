import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServiceClient } from '#main/api/client.ts'
import { bodyEncodings } from '#shared/accounts/account.ts'
import type { BodyEncoding } from '#shared/accounts/account.ts'
import type { Echo, PagedEcho } from '#shared/api/answers.ts'
import { endpointEntry, endpointPaths } from '#shared/api/endpoints.ts'
import type { ArgumentsFor, EndpointPath } from '#shared/api/endpoints.ts'
import type { Parameter } from '#shared/api/parameters.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { week } from '#test/helpers/service-client.ts'

let running: RunningSandbox
const clients = new Map<BodyEncoding, ServiceClient>()

beforeAll(async () => {
  running = await runningSandbox()
  for (const encoding of bodyEncodings) clients.set(encoding, running.client({ bodyEncoding: encoding }))
})

afterAll(() => running.close())

const awkward = 'Café "50%+" / 中 & <b>%41'

/** What is given for a parameter, and what the service should then echo, as text. */
function example(name: string, { type }: Parameter): readonly [given: unknown, echoed: string | undefined] {
  if (name === 'instance') return ['4101', '4101']
  switch (type) {
    case 'text':
      return [awkward, awkward]
    case 'flag':
      return name === 'all' ? [false, undefined] : [true, 'true']
    case 'whole':
      return [2, '2']
    case 'day':
      return [week.start, '20261114']
    case 'sort':
      return [
        [
          { column: 2, direction: 'asc' },
          { column: 1, direction: 'desc' },
        ],
        '2:asc,1:desc',
      ]
    default:
      throw new RangeError(`No endpoint that echoes takes ${type}`)
  }
}

const echoing = endpointPaths.filter(
  (path) => 'limit' in endpointEntry(path).parameters || path.endsWith('/overview'),
)

/** Every parameter of every endpoint that echoes, with what it needs beside it; whether `startswith` is echoed is open. */
const cases = echoing.flatMap((path) =>
  Object.entries(endpointEntry(path).parameters)
    .filter(([name]) => name !== 'startswith')
    .map(([name, parameter]) => {
      const [given, echoed] = example(name, parameter)
      const parents = Object.fromEntries((parameter.needs ?? []).map((parent) => [parent, awkward]))
      const range = 'start' in endpointEntry(path).parameters ? week : {}
      return { path, name, arguments: { ...range, ...parents, [name]: given }, echoed }
    }),
)

function echoOf(answer: object): Echo {
  const { query } = answer as { query: Echo | PagedEcho }
  return 'echo' in query ? (query as PagedEcho).echo : (query as Echo)
}

async function echo(encoding: BodyEncoding, path: EndpointPath, given: object): Promise<Echo> {
  const client = clients.get(encoding)
  if (!client) throw new RangeError('No client')
  // The cases are made from the interface as data, which is what the types are made from as well.
  const { answer } = await client.call(path, given as ArgumentsFor<EndpointPath>)
  return echoOf(answer)
}

describe.each(bodyEncodings)('asked with a %s body', (encoding) => {
  it.each(cases)('$path understands $name', async ({ path, name, arguments: given, echoed }) => {
    const value = (await echo(encoding, path, given))[name]
    expect(value === undefined ? undefined : String(value)).toBe(echoed)
  })

  it.each(echoing)('%s echoes its defaults and nothing that was not given', async (path) => {
    const { parameters } = endpointEntry(path)
    const given = 'start' in parameters ? week : {}
    const expected: Record<string, unknown> = {}
    for (const [name, parameter] of Object.entries<Parameter>(parameters)) {
      if (parameter.required) expected[name] = name === 'start' ? '20261114' : '20261120'
      else if (parameter.default !== undefined && parameter.default !== false)
        expected[name] = String(parameter.default)
    }
    const found = Object.entries(await echo(encoding, path, given)).map(([name, value]) => [
      name,
      String(value),
    ])
    // Whether a flag that is true by default is echoed as such is left open.
    const { all: expectedAll, ...others } = expected
    const { all = expectedAll, ...echoed } = Object.fromEntries(found) as Record<string, unknown>
    expect(echoed).toEqual(others)
    expect(all).toBe(expectedAll)
  })
})

describe('a child without its parent', () => {
  it('is not sent, so it is not echoed', async () => {
    const given = { ...week, browser_version: '1', city: 'x' }
    expect(await echo('json', 'script/browsers', given)).not.toHaveProperty('browser_version')
  })
})
