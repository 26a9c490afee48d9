import { expect, it } from 'vitest'
import type { InstanceId } from '#shared/values/ids.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { createTurns } from '#main/sandbox/control/turns.ts'

const ids = (...texts: string[]) => texts as InstanceId[]

it('a turn lasts for its requests, and until the list of instances was asked for in it', () => {
  const turns = createTurns()
  const taken = [
    { requests: 1, instances: ids('1') },
    { requests: 3, instances: ids('2') },
    { requests: 1, instances: ids('3') },
  ]
  const ask = (path: EndpointPath) => turns.next(taken, path)
  const [table, list] = ['script/devices', 'interface/instances'] as const
  const asked = [table, table, list, list, table, table, table, list, table, list, table]
  expect(asked.map(ask)).toEqual(['1', '1', '1', '2', '2', '2', '3', '3', '3', '3', '3'].map((id) => [id]))
  // Others begin with their first; none are none.
  expect(turns.next(taken.slice(1), table)).toEqual(['2'])
  expect(turns.next([], table)).toBeNull()
})
