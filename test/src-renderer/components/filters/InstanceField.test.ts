import { fireEvent, screen, waitFor } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { InstanceId, Instant } from '#shared/values/ids.ts'
import { FakeDesk, account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { openList, pick, show } from '#test/src-renderer/helpers/show.ts'

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
    narrowed: null,
  })

const options = () => screen.getAllByRole('option').map((each) => each.textContent?.trim())
const field = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Instance' })

describe('the list of instances', () => {
  it('names all of them once, and an instance from the address even if it is not listed', async () => {
    const desk = new FakeDesk().answer('lookups/instances', () =>
      lookup(1, instance('all', 'All Instances', true), instance('7', 'Kestrel')),
    )
    show(desk, '#/overview?instance=99')
    await waitFor(() => expect(field().value).toBe('Instance 99'))
    await openList('Instance')
    await screen.findByRole('option', { name: 'Kestrel' })
    expect(options().filter((each) => each?.toLowerCase() === 'all instances')).toHaveLength(1)
  })

  it('leaves all instances to choose where it cannot be had', async () => {
    show(new FakeDesk().answer('lookups/instances', () => failed('offline')))
    await screen.findByRole('combobox', { name: 'Instance' })
    await openList('Instance')
    expect(await screen.findByRole('option', { name: 'All instances' })).toBeTruthy()
  })

  it('is looked up anew when it changed, and when the service is back', async () => {
    const desk = new FakeDesk().answer('lookups/instances', () => failed('offline'))
    show(desk, '#/overview?instance=7')
    await waitFor(() => expect(field().value).toBe('Instance 7'))
    desk.answer('lookups/instances', () => lookup(1, instance('7', 'Kestrel')))
    desk.emit('connection/changed', { account: account.id, connection: { kind: 'online' } })
    await waitFor(() => expect(field().value).toBe('Kestrel'))
    desk.answer('lookups/instances', () => lookup(1, instance('7', 'Falcon')))
    desk.emit('reports/changed', { account: account.id, key: 'interface/sources {}' })
    desk.emit('reports/changed', { account: account.id, key: 'interface/instances {}' })
    await waitFor(() => expect(field().value).toBe('Falcon'))
    expect(desk.argumentsOf('lookups/instances')).toHaveLength(3)
  })

  it('opens where the field changes while the button is pressed, and no click comes', async () => {
    const desk = new FakeDesk().answer('lookups/instances', () => lookup(1, instance('7', 'Kestrel')))
    show(desk)
    const place = await screen.findByRole('combobox', { name: 'Instance' })
    await fireEvent.pointerDown(place)
    await waitFor(() => expect(place.isConnected).toBe(false))
    expect(await screen.findByRole('option', { name: 'Kestrel' })).toBeTruthy()
  })

  it('has two instances of one name apart, in the list, in the field and beside the table', async () => {
    const [one, other] = ['7', '8'].map((id) => ({ ...instance(id, 'Kestrel'), isShared: true as const }))
    const desk = new FakeDesk().answer('lookups/instances', () =>
      lookup(1, ...[one, other].filter((each) => each !== undefined), instance('9', 'Falcon')),
    )
    show(desk, '#/reports/script/browsers?instance=8')
    await waitFor(() => expect(field().value).toBe('Kestrel (8)'))
    expect(await screen.findByRole('button', { name: 'Remove the filter Instance' })).toBeTruthy()
    expect(document.querySelector('main')?.textContent).toContain('Kestrel (8)')
    await openList('Instance')
    await screen.findByRole('option', { name: 'Falcon' })
    expect(options().slice(-3)).toEqual(['Kestrel (7)', 'Kestrel (8)', 'Falcon'])
  })

  it('limits to what is picked', async () => {
    const desk = new FakeDesk().answer('lookups/instances', () => lookup(1, instance('7', 'Kestrel')))
    show(desk)
    await screen.findByRole('combobox', { name: 'Instance' })
    await pick('Instance', 'Kestrel')
    await waitFor(() => expect(window.location.hash).toBe('#/overview?instance=7'))
  })
})
