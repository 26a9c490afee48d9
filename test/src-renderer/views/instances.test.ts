import { screen, waitFor } from '@testing-library/svelte'
import { describe, expect, it, vi } from 'vitest'
import type { InstanceId, Instant } from '../../../src-shared/values/ids.ts'
import { FakeDesk, account, failed, good, otherAccount } from '../helpers/fake-desk.ts'
import { show, type } from '../helpers/show.ts'

vi.mock('../../../src-renderer/parts/chart/draw.ts', () => ({ draw: () => ({ stop: () => undefined }) }))

const instance = (id: string, name: string, all = false) => ({
  id: id as InstanceId,
  name,
  status: 1,
  all,
  unknown: {},
})

const lookup = (pages: number, ...instances: ReturnType<typeof instance>[]) =>
  good({
    answer: { instances, query: { results: pages * 1000, pages, echo: {} } },
    fetchedAt: 0 as Instant,
    failure: null,
  })

const options = () => screen.getAllByRole('option').map((each) => each.textContent)

describe('the list of instances', () => {
  it('names all of them once, and an instance from the address even if it is not listed', async () => {
    const desk = new FakeDesk().answer('lookups/instances', () =>
      lookup(1, instance('all', 'All Instances', true), instance('7', 'Kestrel')),
    )
    show(desk, '#/overview?instance=99')
    await screen.findByRole('option', { name: 'Kestrel' })
    expect(options()).toEqual(['All instances', 'Instance 99', 'Kestrel'])
  })

  it('is narrowed by name where there are more than fit', async () => {
    const desk = new FakeDesk().answer('lookups/instances', ({ name }) =>
      name === null ? lookup(3, instance('7', 'Kestrel')) : lookup(1, instance('8', 'Nordlys')),
    )
    show(desk)
    type(await screen.findByLabelText('Find an instance'), ' nord ')
    await screen.findByRole('option', { name: 'Nordlys' })
    expect(desk.argumentsOf('lookups/instances').at(-1)).toMatchObject({ name: 'nord', page: 1, limit: 1000 })
  })

  it('says that it is not there, and leaves all instances to choose', async () => {
    show(new FakeDesk().answer('lookups/instances', () => failed('offline')))
    expect(await screen.findByText('The list of instances is not there yet.')).toBeTruthy()
    expect(options()).toEqual(['All instances'])
  })

  it('is looked up anew when it changed, and when the service is back', async () => {
    const desk = new FakeDesk().answer('lookups/instances', () => failed('offline'))
    show(desk)
    await screen.findByText('The list of instances is not there yet.')
    desk.answer('lookups/instances', () => lookup(1, instance('7', 'Kestrel')))
    desk.emit('connection/changed', { account: account.id, connection: { state: 'online' } })
    await screen.findByRole('option', { name: 'Kestrel' })
    desk.answer('lookups/instances', () => lookup(1, instance('8', 'Nordlys')))
    desk.emit('reports/changed', { account: otherAccount.id, key: 'interface/instances?limit=1000' })
    expect(desk.argumentsOf('lookups/instances')).toHaveLength(2)
    desk.emit('reports/changed', { account: account.id, key: 'interface/instances?limit=1000' })
    await screen.findByRole('option', { name: 'Nordlys' })
  })

  it('cuts names that are too long for a list', async () => {
    show(new FakeDesk().answer('lookups/instances', () => lookup(1, instance('7', 'x'.repeat(10_000)))))
    await waitFor(() => expect(options()).toHaveLength(2))
    expect(options()[1]?.length).toBeLessThan(200)
  })
})
