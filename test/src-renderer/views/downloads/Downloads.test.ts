import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { DownloadState } from '#shared/downloads/download.ts'
import type { Instant } from '#shared/values/ids.ts'
import { FakeDesk, account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { bytes, download, since } from '#test/src-renderer/helpers/raw-reports.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

const withStates = (...states: DownloadState[]) =>
  new FakeDesk().answer('downloads/list', () =>
    good(states.map((state, index) => download(index + 1, account.id, state))),
  )
const items = async () => {
  const list = await screen.findByRole('list', { name: 'Downloads' })
  await within(list).findAllByRole('listitem')
  return within(list).getAllByRole('listitem')
}
const buttons = (item: HTMLElement) =>
  within(item)
    .getAllByRole('button')
    .map((each) => each.getAttribute('aria-label') ?? each.textContent?.trim())
const disk = { kind: 'disk' as const, message: 'The disk refuses.' }

describe('downloads', () => {
  it.each<[string, DownloadState, number | null, RegExp, string[]]>([
    ['waits', { kind: 'waiting' }, 0, /^Waiting for its turn · 40 MB$/, ['Move Report 1', 'Pause', 'Cancel']],
    [
      'goes on',
      { kind: 'running', ...bytes(10_000_000), speed: 2_000_000 },
      25,
      /^10 MB of 40 MB · 2 MB\/s · 15 s left$/,
      ['Pause', 'Cancel'],
    ],
    ['begins', { kind: 'running', ...bytes(0), speed: null }, 0, /^Starting… · 40 MB$/, ['Pause', 'Cancel']],
    [
      'stands still',
      { kind: 'running', ...bytes(10_000_000), speed: 0 },
      25,
      /^10 MB of 40 MB$/,
      ['Pause', 'Cancel'],
    ],
    [
      'is paused',
      { kind: 'paused', ...bytes(20_000_000), why: 'person' },
      50,
      /^Paused · 20 MB of 40 MB$/,
      ['Resume', 'Cancel'],
    ],
    [
      'has no room',
      { kind: 'paused', ...bytes(0), why: 'disk' },
      0,
      /^Paused: the disk is full\. It resumes once there is space/,
      ['Resume', 'Cancel'],
    ],
    ['is checked', { kind: 'checking' }, 100, /^Downloaded\. Checking the file/, ['Cancel']],
    ['is unpacked', { kind: 'unpacking' }, 100, /^Archive saved\. Unpacking its tables$/, ['Cancel']],
    ['failed', { kind: 'failed', failure: disk }, 0, /^Not saved\. The disk refuses\.$/, ['Retry', 'Cancel']],
    [
      'has its archive and not its tables',
      { kind: 'failed', failure: disk, archive: 'saved' },
      0,
      /^Archive saved, but not its tables\. The disk refuses\.$/,
      ['Retry', 'Cancel'],
    ],
    [
      'is saved',
      { kind: 'saved', time: 0 as Instant },
      100,
      /^Saved .* · 40 MB$/,
      ['Open', 'Open rows', 'Show in folder', 'Remove from list'],
    ],
    [
      'is missing',
      { kind: 'missing' },
      0,
      /moved or deleted\. You can download it again for (19|20) days$/,
      ['Download again', 'Remove from list'],
    ],
  ])('one that %s says so, with what can be done', async (_, state, percent, words, offered) => {
    show(withStates(state), '#/downloads')
    const [item] = await items()
    if (!item) throw new Error('No item')
    const bar = within(item).getByRole('progressbar', { name: 'Report 1' })
    expect(bar.getAttribute('aria-valuenow')).toBe(percent === null ? null : String(percent))
    expect(bar.getAttribute('aria-valuetext')).toMatch(words)
    expect(item.textContent).toContain('files.kestrel.example')
    expect(buttons(item)).toEqual(offered)
  })

  it.each([
    [{ kind: 'missing' }, "you can't download it again", 'Remove from list'],
    [{ kind: 'failed', failure: disk }, 'has since deleted the report', 'Cancel'],
  ] as const)('that are gone at the service are not offered again: %j', async (state, words, left) => {
    const gone = download(1, account.id, state, { expires: since(60_000) })
    show(
      new FakeDesk().answer('downloads/list', () => good([gone])),
      '#/downloads',
    )
    const [item] = await items()
    expect(item && buttons(item)).toEqual([left])
    expect(item?.textContent).toContain(words)
  })

  it('whose size nobody knows have no figure', async () => {
    const one = download(
      1,
      account.id,
      { kind: 'running', ...bytes(5000, null), speed: null },
      { size: null },
    )
    show(
      new FakeDesk().answer('downloads/list', () => good([one])),
      '#/downloads',
    )
    const [item] = await items()
    expect(item && within(item).getByRole('progressbar').hasAttribute('aria-valuenow')).toBe(false)
  })

  it.each<[DownloadState, RegExp]>([
    [{ kind: 'saved', time: 0 as Instant }, /^Saved .* · 40 MB · The service says 62 kB$/],
    [
      { kind: 'running', ...bytes(10_000_000), speed: 2_000_000 },
      /^10 MB of 40 MB · 2 MB\/s · 15 s left · The service says 62 kB$/,
    ],
  ])('whose record has another size say so', async (state, words) => {
    const one = download(1, account.id, state, { recordedSize: 62_000 })
    show(
      new FakeDesk().answer('downloads/list', () => good([one])),
      '#/downloads',
    )
    const [item] = await items()
    expect(item && within(item).getByRole('progressbar').getAttribute('aria-valuetext')).toMatch(words)
  })

  it('follow what they are told, and say what ended', async () => {
    const desk = withStates({ kind: 'running', ...bytes(0), speed: null })
    show(desk, '#/downloads')
    await items()
    const saved = download(1, account.id, { kind: 'saved', time: 0 as Instant })
    desk.emit('downloads/changed', { changed: [saved], removed: [], reordered: false })
    expect(await screen.findByRole('button', { name: 'Show in folder' })).toBeTruthy()
    await waitFor(() =>
      expect(screen.getByText('Report 1 is saved as Kestrel Media Report 1.zip.')).toBeTruthy(),
    )
  })

  it.each([
    ['Pause', { kind: 'running', ...bytes(0), speed: null }, 'downloads/pause'],
    ['Resume', { kind: 'paused', ...bytes(0), why: 'person' }, 'downloads/resume'],
    ['Retry', { kind: 'failed', failure: disk }, 'downloads/resume'],
    ['Show in folder', { kind: 'saved', time: 0 as Instant }, 'downloads/show'],
    ['Open', { kind: 'saved', time: 0 as Instant }, 'downloads/open'],
    ['Cancel', { kind: 'waiting' }, 'downloads/cancel'],
  ] as const)('%s does so, or says why not', async (name, state, call) => {
    const desk = withStates(state).answer(call, () => failed('disk'))
    show(desk, '#/downloads')
    await items()
    await fireEvent.click(screen.getByRole('button', { name }))
    expect(desk.argumentsOf(call)).toEqual([{ download: download(1, account.id, state).id }])
    await waitFor(() =>
      expect(screen.getByRole('region', { name: 'Messages' }).textContent).toContain('Words about disk.'),
    )
  })

  it.each([
    [null, '“Report 1” is not saved.', true],
    ['Acme Report 1.zip', 'The archive of “Report 1” is already saved and stays: Acme Report 1.zip.', false],
  ] as const)('cancelled say truly what stays: %s', async (stays, words, begins) => {
    const desk = withStates({ kind: 'checking' }).answer('downloads/cancel', () => good({ stays }))
    show(desk, '#/downloads')
    await items()
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    const said = screen.getByRole('region', { name: 'Messages' })
    await waitFor(() => expect(said.textContent).toContain(words))
    expect(within(said).queryByRole('button', { name: 'Start over' }) !== null).toBe(begins)
    if (!begins) expect(said.textContent).not.toContain('is not saved')
  })

  it('that wait are put in another order by the arrow keys', async () => {
    let list = [1, 2].map((number) => download(number, account.id, { kind: 'waiting' }))
    const desk = new FakeDesk()
      .answer('downloads/list', () => good(list))
      .answer('downloads/order', ({ downloads }) => {
        list = downloads.flatMap((id) => list.find((each) => each.id === id) ?? [])
        return good(null)
      })
    show(desk, '#/downloads')
    await items()
    const handle = screen.getByRole('button', { name: 'Move Report 1' })
    handle.focus()
    await fireEvent.keyDown(handle, { key: 'ArrowDown' })
    expect((await items())[0]?.textContent).toContain('Report 2')
    expect(desk.argumentsOf('downloads/order')[0]?.downloads).toHaveLength(2)
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move Report 1' }))
  })

  it('of which there are none say what stands here', async () => {
    show(new FakeDesk(), '#/downloads')
    expect(await screen.findByRole('heading', { name: 'No downloads' })).toBeTruthy()
    expect(screen.getByRole('list', { name: 'Downloads' })).toBeTruthy()
  })

  it('that cannot be read say why', async () => {
    show(
      new FakeDesk().answer('downloads/list', () => failed('disk')),
      '#/downloads',
    )
    expect((await screen.findByRole('alert')).textContent).toContain('Words about disk.')
  })
})
