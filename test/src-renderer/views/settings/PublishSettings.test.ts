import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { Publication } from '#shared/app/storage.ts'
import type { JobId } from '#shared/app/jobs.ts'
import type { Instant } from '#shared/values/ids.ts'
import {
  account,
  FakeDesk,
  failed,
  good,
  notPublished,
  otherAccount,
} from '#test/src-renderer/helpers/fake-desk.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

const last = {
  publishedAt: Date.parse('2026-11-20T09:30:00Z') as Instant,
  files: 1200,
  bytes: 34_000_000,
  leftOut: 0,
}
const published: Publication = {
  ...notPublished(account.id),
  folder: '/mnt/team/Berichte – 報告',
  last,
}

const publishing = {
  ...{ id: 'a' as JobId, kind: 'publish' as const, account: account.id },
  ...{ subject: null, title: 'History of Kestrel Media' },
  ...{ endedAt: null, seen: false },
}

function open(publication: Publication) {
  const desk = new FakeDesk().answer('publishing/read', () => good(publication))
  show(desk, '#/settings')
  return desk
}

/** What is said of an account, once it is known. */
async function card(name = 'Kestrel Media') {
  const section = await screen.findByRole('region', { name: 'Publish history' })
  const article = await within(section).findByRole('article', { name })
  await within(article).findByRole('button', { name: /Publish to|Change|Cancel/ })
  return within(article)
}

describe('publishing history, in the settings', () => {
  it('is off until a folder is chosen, and says beside that what is published', async () => {
    const desk = open(notPublished(account.id))
    const of = await card()
    expect(of.getByText('Not published.')).toBeTruthy()
    expect(of.queryByRole('button', { name: 'Publish now' })).toBeNull()
    const choose = of.getByRole('button', { name: 'Publish to a folder…' })
    expect(
      document.getElementById(choose.getAttribute('aria-describedby')?.split(' ')[1] ?? '')?.textContent,
    ).toMatch(/service address https:\/\/reports\.kestrel\.example are published, never the access token/)
    desk.answer('publishing/choose-folder', () => good(published))
    await fireEvent.click(choose)
    expect(await of.findByText(published.folder ?? '')).toBeTruthy()
    expect(desk.argumentsOf('publishing/choose-folder')).toEqual([{ account: account.id }])
  })

  it('stays as it is where the person thought better of it', async () => {
    open(notPublished(account.id))
    const of = await card()
    await fireEvent.click(of.getByRole('button', { name: 'Publish to a folder…' }))
    expect(of.getByText('Not published.')).toBeTruthy()
    expect(of.queryByRole('alert')).toBeNull()
  })

  it('says when it was done, how many files and how much, and begins by hand', async () => {
    const desk = open(published)
    const of = await card()
    expect(of.getByText(/^Last published .*: 1,200 files, 34 MB\.$/)).toBeTruthy()
    desk.answer('publishing/start', () => good({ ...published, running: true }))
    await fireEvent.click(of.getByRole('button', { name: 'Publish now' }))
    const bar = await of.findByRole('progressbar', { name: 'Publishing the history of Kestrel Media' })
    expect(bar.getAttribute('aria-valuenow')).toBeNull()
    desk.emit('jobs/changed', {
      job: { ...publishing, state: { kind: 'running', done: 30, total: 120, unit: 'files' } },
    })
    expect(await of.findByText('30 of 120 files')).toBeTruthy()
    expect(bar.getAttribute('aria-valuenow')).toBe('25')
    // What concerns another account changes nothing here.
    desk.emit('publishing/changed', notPublished(otherAccount.id))
    await fireEvent.click(of.getByRole('button', { name: 'Cancel' }))
    expect(desk.argumentsOf('jobs/cancel')).toEqual([{ id: publishing.id }])
    desk.emit('jobs/changed', { job: { ...publishing, state: { kind: 'cancelled' } } })
    desk.emit('publishing/changed', published)
    await waitFor(() => expect(of.queryByRole('progressbar')).toBeNull())
  })

  it('says in words why it failed, and what was left out', async () => {
    const words = 'The folder is missing.'
    const desk = open({ ...published, failure: { kind: 'disk', message: words } })
    const of = await card()
    expect(of.getByRole('alert').textContent).toBe(words)
    desk.emit('publishing/changed', { ...published, last: { ...last, leftOut: 1 } })
    expect(await of.findByText(/Skipped because they can't be read: 1 file\./)).toBeTruthy()
    expect(of.queryByRole('alert')).toBeNull()
    desk.answer('publishing/start', () => failed('invalid'))
    await fireEvent.click(of.getByRole('button', { name: 'Publish now' }))
    expect((await of.findByRole('alert')).textContent).toBe('Words about invalid.')
  })

  it('stops, and says that the files stay', async () => {
    const desk = open(published)
    const of = await card()
    expect(of.getByText('When you stop, the published files stay in the folder.')).toBeTruthy()
    await fireEvent.click(of.getByRole('button', { name: 'Stop publishing' }))
    expect(await of.findByText('Not published.')).toBeTruthy()
    expect(desk.argumentsOf('publishing/stop')).toEqual([{ account: account.id }])
  })

  it('says of sample data that no address goes along', async () => {
    const desk = new FakeDesk({ accounts: [account, otherAccount] })
    show(desk, '#/settings')
    const of = await card('Sample data')
    expect(of.getByText('Only figures are published, never the access token.')).toBeTruthy()
  })
})
