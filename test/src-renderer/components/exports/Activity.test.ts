import { fireEvent, screen, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { Job, JobId } from '#shared/app/jobs.ts'
import type { Instant } from '#shared/values/ids.ts'
import { account, FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

const job = (id: string, about: Pick<Job, 'kind' | 'title' | 'state'>): Job => ({
  ...{ id: id as JobId, account: account.id, subject: null, endedAt: null, seen: true },
  ...about,
})

const running = job('a', {
  ...{ kind: 'publish', title: 'History of Kestrel Media' },
  state: { kind: 'running', done: 3, total: 12, unit: 'files' },
})
const waiting = job('b', { kind: 'backup', title: 'Backup', state: { kind: 'queued' } })
const paused = job('d', {
  ...{ kind: 'download', title: 'Raw report of October' },
  state: { kind: 'paused', failure: { kind: 'offline', message: 'The service cannot be reached.' } },
})
const saved: Job = {
  ...job('e', {
    ...{ kind: 'download', title: 'Raw report of May' },
    state: { kind: 'done', file: 'May.zip', rows: null },
  }),
  endedAt: Date.parse('2026-11-20T09:31:00Z') as Instant,
}
const failed: Job = {
  ...job('c', {
    ...{ kind: 'export', title: 'Script by browser' },
    state: { kind: 'failed', failure: { kind: 'disk', message: 'The disk is full.' } },
  }),
  endedAt: Date.parse('2026-11-20T09:30:00Z') as Instant,
}

async function opened(jobs: readonly Job[]) {
  const desk = new FakeDesk().answer('jobs/list', () => good(jobs))
  show(desk)
  const button = await screen.findByRole('button', { name: /^Activity/ })
  await fireEvent.click(button)
  return { desk, button, list: within(await screen.findByRole('dialog', { name: 'Activity' })) }
}

describe('the list of what goes on', () => {
  it('has what runs, what waits and why, and what has ended, and says how many go on', async () => {
    const { button, list } = await opened([failed, saved, running, waiting, paused])
    expect(button.textContent.trim()).toMatch(/^Activity\s+3$/)
    expect(list.getAllByRole('listitem').map((item) => within(item).getByRole('strong').textContent)).toEqual(
      [
        ...['History of Kestrel Media', 'Backup', 'Raw report of October'],
        ...['Raw report of May', 'Script by browser'],
      ],
    )
    expect(list.getByText('3 of 12 files')).toBeTruthy()
    expect(list.getByRole('progressbar', { name: 'Publishing of History of Kestrel Media' })).toBeTruthy()
    expect(list.getByText('Waiting for another backup')).toBeTruthy()
    expect(list.getByText('Resumes automatically. The service cannot be reached.')).toBeTruthy()
    expect(list.getByText(/^Saved as May\.zip\s· /)).toBeTruthy()
    expect(list.getByRole('button', { name: 'Show in folder' })).toBeTruthy()
    expect(list.getByText(/^Not exported\. The disk is full\. · /)).toBeTruthy()
  })

  it('stops what goes on, and lets go of what has ended', async () => {
    const { desk, list } = await opened([failed, running])
    await fireEvent.click(list.getByRole('button', { name: 'Cancel: History of Kestrel Media' }))
    expect(desk.argumentsOf('jobs/cancel')).toEqual([{ id: 'a' }])
    await fireEvent.click(list.getByRole('button', { name: 'Dismiss: Script by browser' }))
    expect(desk.argumentsOf('jobs/dismiss')).toEqual([{ id: 'c' }])
    desk.emit('jobs/removed', { ids: [failed.id] })
    await expect.poll(() => list.queryByText('Script by browser')).toBeNull()
    desk.emit('jobs/changed', { job: { ...running, state: { kind: 'cancelled' } } })
    expect(await list.findByText('Cancelled')).toBeTruthy()
  })

  it('tells what runs, what waits and what has ended apart, and lets go of all that has ended at once', async () => {
    const { desk, list } = await opened([failed, saved, running, waiting, paused])
    const group = (name: string) =>
      within(list.getByRole('region', { name }))
        .getAllByRole('listitem')
        .map((item) => within(item).getByRole('strong').textContent)
    expect(group('Running')).toEqual(['History of Kestrel Media'])
    expect(group('Waiting')).toEqual(['Backup', 'Raw report of October'])
    expect(group('Finished')).toEqual(['Raw report of May', 'Script by browser'])
    await fireEvent.click(list.getByRole('button', { name: 'Clear finished' }))
    expect(desk.argumentsOf('jobs/dismiss')).toEqual([{ id: 'e' }, { id: 'c' }])
  })

  it('stands in its place also where nothing went on, and says so', async () => {
    const { button, list } = await opened([])
    expect(button.textContent.trim()).toBe('Activity')
    expect(list.getByText('Nothing is running.')).toBeTruthy()
  })
})
