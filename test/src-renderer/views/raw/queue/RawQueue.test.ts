import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { RawListAnswer } from '#shared/raw/list.ts'
import type { Instant } from '#shared/values/ids.ts'
import { FakeDesk, account, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { listOf, request } from '#test/src-renderer/helpers/raw-reports.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

const said = () => screen.getByRole('region', { name: 'Messages' }).textContent
const withList = (answer: RawListAnswer) => new FakeDesk().answer('raw/list', () => good(answer))

describe('requests that wait', () => {
  const waiting = (number: number, name: string) =>
    request(number, { kind: 'waiting', for: 'concurrent' }, { name })
  const withQueue = () =>
    withList(listOf([])).answer('raw/queue', () =>
      good({
        requests: [
          waiting(1, 'First'),
          waiting(2, 'Second'),
          request(3, { kind: 'unclear', since: 0 as Instant }, { name: 'Lost' }),
        ],
        limits: null,
      }),
    )
  const entries = async () =>
    within(await screen.findByRole('list', { name: 'Waiting requests' })).getAllByRole('listitem')

  it.each(['online', 'offline'] as const)('say that everything is paused, %s', async (state) => {
    const desk = withList(listOf([])).answer('raw/queue', () =>
      good({ requests: [request(1, { kind: 'waiting', for: 'pause' }, { name: 'First' })], limits: null }),
    )
    desk.state = { ...desk.state, connections: { [account.id]: { kind: state } } }
    show(desk, '#/raw')
    const [first] = await entries()
    expect(first?.textContent).toContain('Waiting: everything is paused.')
  })

  it('are moved by the arrow keys', async () => {
    let requests = [waiting(1, 'First'), waiting(2, 'Second')]
    const desk = withList(listOf([]))
      .answer('raw/queue', () => good({ requests, limits: null }))
      .answer('raw/order-queue', ({ requests: ids }) => {
        requests = ids.flatMap((id) => requests.find((each) => each.id === id) ?? [])
        return good(null)
      })
    show(desk, '#/raw')
    await entries()
    const handle = screen.getByRole('button', { name: 'Move Second' })
    handle.focus()
    await fireEvent.keyDown(handle, { key: 'ArrowUp' })
    expect((await entries())[0]?.textContent).toContain('Second')
    expect(desk.argumentsOf('raw/order-queue')).toEqual([
      { account: account.id, requests: [waiting(2, '').id, waiting(1, '').id] },
    ])
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move Second' }))
  })

  it('leave one that was refused in its place', async () => {
    const failure = { kind: 'bad-request', message: 'No.' } as const
    const refused = request(1, { kind: 'refused', failure, fields: {} }, { name: 'Refused' })
    const requests = [refused, waiting(2, 'Second'), waiting(3, 'Third')]
    const desk = withList(listOf([])).answer('raw/queue', () => good({ requests, limits: null }))
    show(desk, '#/raw')
    await entries()
    const handle = screen.getByRole('button', { name: 'Move Third' })
    handle.focus()
    await fireEvent.keyDown(handle, { key: 'ArrowUp' })
    expect(desk.argumentsOf('raw/order-queue').map((each) => each.requests)).toEqual([
      [refused, waiting(3, 'Third'), waiting(2, 'Second')].map(({ id }) => id),
    ])
  })

  it('are moved by hand: taken, held over another and dropped onto it', async () => {
    const requests = [waiting(1, 'First'), waiting(2, 'Second'), waiting(3, 'Third')]
    const desk = withList(listOf([])).answer('raw/queue', () => good({ requests, limits: null }))
    show(desk, '#/raw')
    const [first, , third] = await entries()
    if (!first || !third) throw new Error('Three requests wait')
    expect(third.draggable).toBe(true)
    await fireEvent.dragStart(third)
    await fireEvent.dragOver(first)
    expect(first.dataset).toHaveProperty('over')
    await fireEvent.drop(first)
    expect(first.dataset).not.toHaveProperty('over')
    expect(desk.argumentsOf('raw/order-queue')).toEqual([
      { account: account.id, requests: [3, 1, 2].map((number) => waiting(number, '').id) },
    ])
  })

  it('come back where dropping one is undone, but for those that may have become a report', async () => {
    const desk = withQueue()
    show(desk, '#/raw')
    await entries()
    await fireEvent.click(screen.getByRole('button', { name: 'Remove Lost' }))
    await waitFor(() => expect(said()).toContain('“Lost” was removed.'))
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
    await fireEvent.click(screen.getByRole('button', { name: 'Remove First' }))
    await fireEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    const { draft, template } = waiting(1, 'First')
    await waitFor(() =>
      expect(desk.argumentsOf('raw/request')).toEqual([{ account: account.id, draft, template }]),
    )
  })

  it('wait for the connection where the service is known to be out of reach, whatever they waited for', async () => {
    const requests = [
      ...(['turn', 'concurrent', 'minutes', 'token'] as const).map((reason, index) =>
        request(index, { kind: 'waiting', for: reason }),
      ),
      request(5, { kind: 'looking', since: 0 as Instant }),
    ]
    const desk = withList(listOf([])).answer('raw/queue', () => good({ requests, limits: null }))
    show(desk, '#/raw')
    const words = async () =>
      (await entries()).map((each) => each.querySelector('.state')?.textContent?.trim())
    expect(await words()).toEqual([
      'Waiting for its turn.',
      'Waiting for a report in progress to finish.',
      'Waiting for more processing minutes.',
      'Waiting for a valid access token.',
      'The reply was lost. Checking whether the service made the report…',
    ])
    desk.emit('connection/changed', {
      account: account.id,
      connection: { kind: 'offline' },
    })
    const away = 'Waiting for the service to be online.'
    await waitFor(async () =>
      expect(await words()).toEqual([
        ...[away, away, away, 'Waiting for a valid access token.'],
        'The reply was lost. Traffic Desk checks for the report once the service is online.',
      ]),
    )
  })

  it('say what the service did not take of them', async () => {
    const failure = { kind: 'bad-request', message: 'Not taken.', said: 'No.' } as const
    const own = { kind: 'invalid', message: 'Start is too early.', field: 'start' } as const
    const requests = [
      request(1, { kind: 'refused', failure, fields: { start: 'Too old', standard: 'Too many' } }),
      request(2, { kind: 'refused', failure: own, fields: { start: own.message } }),
    ]
    show(
      withList(listOf([])).answer('raw/queue', () => good({ requests, limits: null })),
      '#/raw',
    )
    const [first, second] = await entries()
    expect(first?.textContent).toMatch(/Not taken. Start: Too old Standard columns: Too many\s+.*said: No./)
    expect(second?.textContent).toMatch(/\s+Start is too early\.\s+Send again/)
  })

  it('are dropped, and sent again where nobody knows what became of them', async () => {
    const desk = withQueue()
    show(desk, '#/raw')
    expect((await entries())[2]?.textContent).toContain('Sending again may create it twice')
    await fireEvent.click(screen.getByRole('button', { name: 'Send again: Lost' }))
    await fireEvent.click(screen.getByRole('button', { name: 'Remove First' }))
    expect(desk.argumentsOf('raw/send-again')[0]?.request).toBe(request(3, { kind: 'sending' }).id)
    await waitFor(() => expect(desk.argumentsOf('raw/drop-request')[0]?.request).toBe(waiting(1, '').id))
  })
})
