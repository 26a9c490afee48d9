import { expect, it } from 'vitest'
import { instanceText, SharedNames } from '#shared/api/instance-names.ts'
import { labelText } from '#shared/reports/rows.ts'
import type { InstanceId } from '#shared/values/ids.ts'

const named = (id: string, name: string) => ({ id: id as InstanceId, name })
const instances = [
  ...[named('4101', 'Shop'), named('4117', 'Shop'), named('4123', 'Cafe\u0301')],
  ...[named('4140', 'Caf\u00e9'), named('4166', 'Alone'), named('4166', 'Alone')],
  ...[named('4189', ''), named('4205', '')],
]

it('has its id behind its name only where another instance has the name', () => {
  const shared = new SharedNames(instances)
  expect(instances.map((instance) => instanceText(shared.marked(instance)))).toEqual([
    ...['Shop (4101)', 'Shop (4117)', 'Cafe\u0301 (4123)', 'Caf\u00e9 (4140)', 'Alone', 'Alone'],
    ...['4189', '4205'],
  ])
  expect(labelText({ kind: 'instance', ...shared.marked(named('4117', 'Shop')) })).toBe('Shop (4117)')
  expect(labelText({ kind: 'instance', ...named('4117', 'Shop') })).toBe('Shop')
  expect(shared.namesShared(instances)).toEqual(['Shop', 'Cafe\u0301', 'Caf\u00e9'])
})
