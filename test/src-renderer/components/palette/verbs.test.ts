import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SavedViewId, SavedViewState } from '#shared/views/saved-views.ts'
import { FakeDesk, account, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, standAt, type } from '#test/src-renderer/helpers/show.ts'

// They load with their first use, which takes seconds where nothing is bundled.
beforeAll(async () => {
  await import('#renderer/components/palette/Palette.svelte')
  await import('#renderer/views/settings/Settings.svelte')
  await import('#renderer/views/print/PdfDialog.svelte')
  await import('#renderer/views/saved/OfflineDaysDialog.svelte')
}, 60_000)
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

/** Types into the palette and chooses what stands first. */
async function call(text: string): Promise<void> {
  await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  const input = within(await screen.findByRole('dialog', { name: 'Command palette' })).getByRole('combobox')
  type(input, text)
  await waitFor(() => expect(screen.getAllByRole('option').length).toBeGreaterThan(0))
  await fireEvent.keyDown(input, { key: 'Enter' })
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Command palette' })).toBeNull())
}

async function openAt(address: string, desk = new FakeDesk()): Promise<FakeDesk> {
  show(desk, address)
  await screen.findByRole('button', { name: 'Account: Kestrel Media' })
  return desk
}

const said = () => screen.getByRole('region', { name: 'Messages' }).textContent

describe('what the palette does', () => {
  it.each(['#/overview', '#/reports/script/browsers', '#/help/guide'])(
    'makes a PDF from %s',
    async (from) => {
      await openAt(from)
      await call('export pdf')
      expect(await screen.findByRole('dialog', { name: 'PDF for a client' })).toBeTruthy()
    },
  )

  it.each([
    ['#/reports/direct/browsers?source=newsletter', 'Direct · newsletter', 'Suspect rate'],
    ['#/help/guide', 'Script', 'Bad rate'],
  ])('says from %s what explains the change', async (from, scope, figure) => {
    await openAt(from)
    await call('why')
    const dialog = within(await screen.findByRole('dialog', { name: 'What explains it' }))
    expect(dialog.getByText(scope).parentElement?.textContent).toContain(figure)
  })

  it('saves the whole table that is open to Excel, with the columns as they are seen', async () => {
    const desk = await openAt('#/reports/script/browsers?compare=period-before')
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Export' })).toHaveProperty('disabled', false),
    )
    await call('save to excel')
    await waitFor(() => expect(desk.argumentsOf('exports/start')).toHaveLength(1))
    const [order] = desk.argumentsOf('exports/start').map((given) => given.order)
    expect(order).toMatchObject({
      kind: 'table',
      format: 'xlsx',
      rows: 'all',
      query: { dimension: 'browsers' },
    })
    expect(order).toHaveProperty('before')
  })

  it('saves the whole report that Overview shows as one workbook', async () => {
    const desk = await openAt('#/overview')
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Export' })).toHaveProperty('disabled', false),
    )
    await call('workbook with charts')
    await waitFor(() => expect(desk.argumentsOf('exports/start')).toHaveLength(1))
    expect(desk.argumentsOf('exports/start')[0]?.order.kind).toBe('report')
  })

  it('leads to the dialog for another token, from anywhere', async () => {
    await openAt('#/overview')
    await call('change token')
    expect(await screen.findByRole('dialog', { name: 'Replace token of Kestrel Media' })).toBeTruthy()
  })

  it('lets one choose a backup, from anywhere', async () => {
    const desk = await openAt('#/overview')
    await call('restore backup')
    await waitFor(() => expect(desk.argumentsOf('desk/choose-backup')).toHaveLength(1))
  })

  it.each([
    ['back up', 'Backup'],
    ['logo', 'PDFs for clients'],
    ['passphrase', 'Lock'],
  ])('leads by “%s” to the heading %s', async (text, heading) => {
    await openAt('#/overview')
    await call(text)
    await waitFor(() => expect(document.activeElement?.textContent.trim()).toBe(heading))
  })

  it('begins a case of the source that is looked at', async () => {
    const desk = await openAt('#/reports/script/browsers?source=cheap-clicks')
    await call('new case')
    await waitFor(() => expect(desk.argumentsOf('cases/begin')).toHaveLength(1))
    expect(desk.argumentsOf('cases/begin')[0]?.entry).toMatchObject({
      about: 'source',
      subject: 'cheap-clicks',
    })
  })

  it('says how a case is begun where nothing is looked at that it could be of', async () => {
    const desk = await openAt('#/overview')
    await call('new case')
    await waitFor(() => expect(said()).toContain('New case'))
    expect(window.location.hash).toContain('/sources')
    expect(desk.argumentsOf('cases/begin')).toHaveLength(0)
  })

  it('keeps the view that is open offline', async () => {
    const desk = await openAt('#/reports/script/browsers')
    await screen.findByRole('button', { name: 'Keep offline' })
    await call('offline')
    await waitFor(() => expect(desk.argumentsOf('views/save')).toMatchObject([{ pinned: true }]))
  })

  it('leads to the offline days of a view that is saved offline already, and ends that', async () => {
    const address = '#/reports/script/browsers'
    const saved: SavedViewState = {
      ...{ id: '0f2a1c52-0000-4000-8000-000000000001' as SavedViewId, name: 'Browsers', address },
      ...{ pinned: true, depth: null, start: false, syncing: false, failure: null },
      stored: { days: 7, total: 7, oldest: null, bytes: 0 },
    }
    const desk = new FakeDesk()
      .answer('views/list', () => good([saved]))
      .answer('views/change', () => good({ ...saved, pinned: false }))
    await openAt(address, desk)
    await screen.findByRole('button', { name: 'Keep offline', pressed: true, hidden: true })
    await call('offline')
    await screen.findByRole('dialog', { name: 'Offline days' })
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    await call('stop saving offline')
    await waitFor(() => expect(desk.argumentsOf('views/change')).toMatchObject([{ pinned: false }]))
  })

  it('requests the raw rows of the view that is open', async () => {
    await openAt('#/reports/script/browsers?source=newsletter')
    await call('request raw rows')
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/raw\?form=view/))
  })

  it('opens an archive file, and shows its rows', async () => {
    const desk = new FakeDesk().answer('rows/choose', () => good([]))
    await openAt('#/overview', desk)
    await call('import file')
    await waitFor(() => expect(desk.argumentsOf('rows/choose')).toEqual([{ account: account.id }]))
  })

  it('finds names that are stored without asking the service, and leads to what was found again', async () => {
    const desk = new FakeDesk().answer('lookups/names', () =>
      good({ instances: [], names: { geography: ['Germany'] } }),
    )
    await openAt('#/overview', desk)
    await call('germany last 28 days')
    await waitFor(() =>
      expect(window.location.hash).toBe('#/reports/script/geography?period=last-28-days&country=Germany'),
    )
    await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    const recent = await screen.findByRole('group', { name: 'Recently used' })
    expect(within(recent).getByRole('option', { name: /^Germany/ })).toBeTruthy()
    expect(localStorage.getItem('palette-recent') ?? '').not.toContain('Germany')
  })
})
