import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import { commandEntry, commands } from '#shared/app/commands.ts'
import { terms } from '#shared/reports/terms.ts'
import { FakeDesk, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

const topics = async () =>
  within(await screen.findByRole('navigation', { name: 'Help' }))
    .getAllByRole('link')
    .map((link) => [link.textContent, link.getAttribute('href')])

describe('help', () => {
  it('opens from the header at the guide, and leads to every topic', async () => {
    show(new FakeDesk())
    await fireEvent.click(await screen.findByRole('link', { name: 'Help' }))
    expect(await screen.findByRole('heading', { name: 'Where a figure comes from' })).toBeTruthy()
    expect(await topics()).toEqual([
      ["User's guide", '#/help/guide'],
      ['Glossary', '#/help/words'],
      ['Keyboard shortcuts', '#/help/keys'],
      ['Recent messages', '#/help/happened'],
      ['About', '#/help/about'],
    ])
  })

  it('shows the guide with its pictures', async () => {
    const { container } = show(new FakeDesk(), '#/help/guide')
    await screen.findByRole('heading', { name: 'Raw reports' })
    const pictures = Array.from(container.ownerDocument.querySelectorAll('article img'))
    expect(pictures.length).toBeGreaterThan(0)
    expect(screen.getAllByRole('heading', { level: 1 }).map((each) => each.textContent)).toEqual(['Help'])
    expect(pictures.map((each) => each.getAttribute('src'))).not.toContain('')
    for (const each of pictures) expect(each.getAttribute('alt')).not.toBe('')
  })

  it('explains every word', async () => {
    show(new FakeDesk(), '#/help/words')
    await screen.findByRole('heading', { name: 'Glossary' })
    for (const { word, meaning } of terms) {
      const definition = screen.getByText(word, { selector: 'dt' }).nextElementSibling
      expect(definition?.textContent).toContain(meaning)
    }
  })

  it('lists the keys of every command that has some', async () => {
    show(new FakeDesk(), '#/help/keys')
    const table = await screen.findByRole('table', { name: 'Everywhere' })
    const withKeys = commands.filter((each) => commandEntry(each).key ?? commandEntry(each).keys)
    for (const each of withKeys) {
      expect(within(table).getByText(commandEntry(each).words.replace(/…$/, ''))).toBeTruthy()
    }
  })

  it('lists what was said, the newest first', async () => {
    const desk = new FakeDesk()
    show(desk, '#/help/happened')
    await screen.findByText('No messages since this window opened.')
    desk.emit('desk/command', { command: 'next-account' })
    desk.emit('desk/command', { command: 'refresh' })
    const items = within(await screen.findByRole('list', { name: 'Recent messages' })).getAllByRole(
      'listitem',
    )
    expect(items.map((item) => item.textContent)).toEqual([
      expect.stringContaining('There are no figures here to refresh.'),
      expect.stringContaining('There is no other account.'),
    ])
  })

  it('shows the problem report before it is copied or saved', async () => {
    const desk = new FakeDesk().answer('desk/about', () =>
      good({
        ...{ version: '9.8.7', commit: 'c0ffee', runtime: 'Electron 45', system: 'Linux' },
        problemReport: 'All there is.',
      }),
    )
    show(desk, '#/help/about')
    const report = await screen.findByRole('region', { name: 'Problem report' })
    expect(report.textContent).toBe('All there is.')
    expect(screen.getByText(/Traffic Desk 9\.8\.7.*Commit c0ffee.*Electron 45.*Linux/)).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Copy' }))
    expect(desk.argumentsOf('desk/copy')).toEqual([{ text: 'All there is.' }])
    await fireEvent.click(screen.getByRole('button', { name: 'Save as file' }))
    expect(await screen.findByText(/Saved as “Traffic Desk problem report.txt”/)).toBeTruthy()
  })

  it('shows the licences of what it is built with when they are asked for', async () => {
    const desk = new FakeDesk()
    show(desk, '#/help/about')
    await fireEvent.click(await screen.findByRole('button', { name: 'Show licences' }))
    const notices = await screen.findByRole('region', { name: 'Open-source licences' })
    expect(notices.textContent).toBe('svelte 5 (MIT)')
  })

  it('saves the list of its parts, for programs', async () => {
    const desk = new FakeDesk()
    show(desk, '#/help/about')
    await fireEvent.click(await screen.findByRole('button', { name: 'Save list of parts' }))
    expect(
      await screen.findByText('Saved as “Traffic Desk parts.cdx.json” in your Downloads folder.'),
    ).toBeTruthy()
    desk.answer('desk/save-parts-list', () => failed('internal', { message: 'The disk is full.' }))
    await fireEvent.click(screen.getByRole('button', { name: 'Save list of parts' }))
    expect(await screen.findByText('The disk is full.')).toBeTruthy()
  })

  it('says where the problem report cannot be made', async () => {
    const desk = new FakeDesk().answer('desk/about', () => failed('internal', { message: 'It went wrong.' }))
    show(desk, '#/help/about')
    expect(await screen.findByText('It went wrong.')).toBeTruthy()
  })

  it('offers a tour whose steps point at what they name, and that can be left at any of them', async () => {
    const desk = new FakeDesk()
    show(desk)
    await screen.findByRole('link', { name: 'Help' })
    desk.emit('desk/command', { command: 'tour' })
    const dialog = within(await screen.findByRole('dialog', { name: 'Short tour' }))
    const pointed = () => Array.from(document.querySelectorAll('[data-pointed]'))
    for (const [step, target] of [
      screen.getByRole('link', { name: 'Overview' }),
      screen.getByRole('status'),
      screen.getByRole('button', { name: 'Views' }),
      screen.getByRole('button', { name: 'Search everything' }),
      screen.getByRole('link', { name: 'Help' }),
    ].entries()) {
      await dialog.findByText(`Step ${step + 1} of 5`)
      expect(pointed()).toEqual([target])
      const button = dialog.getByRole('button', { name: step === 4 ? 'Done' : 'Next' })
      await waitFor(() => expect(document.activeElement).toBe(button))
      if (step < 4) await fireEvent.click(button)
    }
    await fireEvent.click(dialog.getByRole('button', { name: 'Back' }))
    await dialog.findByText('Step 4 of 5')
    await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Short tour' })).toBeNull())
    expect(pointed()).toEqual([])
  })
})
