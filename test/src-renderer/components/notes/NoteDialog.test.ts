import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import type { DayNote } from '#shared/watch/notes.ts'
import { FakeDesk, account, failed } from '#test/src-renderer/helpers/fake-desk.ts'
import { deskWithNotes, note } from '#test/src-renderer/helpers/noted.ts'
import { choose, openTable, show, standAt, type } from '#test/src-renderer/helpers/show.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }))
const field = (name: string) => screen.findByLabelText(name)
const form = async () => within(await screen.findByRole('dialog', { name: /note$/ }))
const save = async () => fireEvent.click((await form()).getByRole('button', { name: 'Save note' }))
/** The entries of a searchable list, the first of which is none. */
async function optionsOf(name: string) {
  const combobox = (await form()).getByRole('combobox', { name })
  combobox.focus()
  await fireEvent.keyDown(combobox, { key: 'ArrowDown' })
  return within(await screen.findByRole('listbox')).findAllByRole('option')
}
const isClosed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

describe('the form of a note', () => {
  it('is for the days of the view, and counts what is left as people count', async () => {
    const { desk } = deskWithNotes([])
    show(desk)
    await press('Add note')
    expect((await field('First day')) as HTMLInputElement).toHaveProperty('value', '2026-11-13')
    expect((await field('Last day')) as HTMLInputElement).toHaveProperty('value', '2026-11-19')
    type(await field('Note'), 'Café 👍🏽')
    expect(await screen.findByText('194 of 200 characters left', { selector: '.hint' })).toBeTruthy()
    await save()
    await isClosed()
    expect(desk.argumentsOf('notes/add')).toEqual([
      {
        account: account.id,
        entry: {
          range: { start: '2026-11-13', end: '2026-11-19' },
          ...{ text: 'Café 👍🏽', subject: { kind: 'account' }, leavesOut: false },
        },
      },
    ])
    expect(await screen.findByText('Note added.', { selector: 'p' })).toBeTruthy()
    expect((await screen.findAllByText('Café 👍🏽')).length).toBeGreaterThan(0)
  })

  it('opens from the day of a chart by keyboard, and saves with Enter', async () => {
    const { desk } = deskWithNotes([])
    show(desk)
    const day = within(await openTable('Script')).getByRole('button', { name: /Nov 14/ })
    day.focus()
    await fireEvent.contextMenu(day, { button: 0 })
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Add note' }))
    const text = await field('Note')
    type(text, 'Partner\npaused')
    await fireEvent.keyDown(text, { key: 'Enter' })
    await isClosed()
    expect(desk.argumentsOf('notes/add')[0]?.entry).toMatchObject({
      ...{ text: 'Partner paused', range: { start: '2026-11-14', end: '2026-11-14' } },
    })
  })

  it('refuses blank and long text, wrong days and no source, in words', async () => {
    const { desk } = deskWithNotes([])
    show(desk)
    await press('Add note')
    await save()
    const alert = async (words: string) => expect((await form()).getByText(words)).toBeTruthy()
    await alert('Write what happened.')
    const text = await field('Note')
    expect(document.activeElement).toBe(text)
    type(text, 'x'.repeat(201))
    expect(await screen.findByText('1 character too many', { selector: '.fault' })).toBeTruthy()
    await save()
    await alert('This note is too long. Use up to 200 characters.')
    type(text, 'Partner paused')
    choose(await field('For'), 'One source')
    await save()
    await alert('Choose a source.')
    type(await field('Last day'), '2026-11-01')
    await waitFor(() => alert('End is before start.'))
    await save()
    expect(document.activeElement).toBe(await field('Last day'))
    expect(desk.argumentsOf('notes/add')).toEqual([])
  })

  it('is about what the view is limited to, or anything else, and says where the note is then seen', async () => {
    const { desk } = deskWithNotes([])
    show(desk, '#/overview?source=news')
    await press('Add note')
    type(await field('Note'), 'New landing page')
    choose(await field('For'), 'One instance')
    const options = await optionsOf('Instance')
    await fireEvent.pointerUp(options[1] ?? document.body)
    await save()
    await isClosed()
    expect(desk.argumentsOf('notes/add')[0]?.entry).toMatchObject({ subject: { kind: 'instance' } })
    expect(await screen.findByText('Note added. Filter by this instance to see it here.')).toBeTruthy()
    await press('Add note')
    type(await field('Note'), 'News paused')
    await save()
    await isClosed()
    expect(desk.argumentsOf('notes/add')[1]?.entry.subject).toEqual({ kind: 'source', source: 'news' })
  })

  it('is for one view where chosen, of whatever days', async () => {
    const { desk } = deskWithNotes([])
    show(desk, '#/reports/script/browsers?period=yesterday&chart=lines')
    await press('Add note')
    type(await field('Note'), 'Chrome 150')
    choose(await field('For'), 'Only this view')
    await save()
    await isClosed()
    expect(desk.argumentsOf('notes/add')[0]?.entry.subject).toEqual({
      ...{ kind: 'view', view: '#/reports/script/browsers' },
    })
  })

  it('leaves days out of what is usual by choice, and says so in the list', async () => {
    const { desk, list } = deskWithNotes([])
    show(desk)
    await press('Add note')
    type(await field('Note'), 'Holiday')
    await fireEvent.click(await field('Leave these days out of what is usual'))
    await save()
    await isClosed()
    expect(list()).toMatchObject([{ text: 'Holiday', leavesOut: true }])
    expect(
      (await screen.findAllByText('The whole account, left out of what is usual')).length,
    ).toBeGreaterThan(0)
    await fireEvent.click((await screen.findAllByRole('button', { name: /^Edit note/ }))[0] ?? document.body)
    expect(await field('Leave these days out of what is usual')).toHaveProperty('checked', true)
  })

  it('changes a note, and keeps what it does not show', async () => {
    const paused: DayNote = note(1, '2026-11-14', { text: 'Partner paused' }, '2027-01-05')
    const { desk } = deskWithNotes([paused])
    show(desk)
    const [edit] = await screen.findAllByRole('button', { name: 'Edit note 1: Partner paused' })
    await fireEvent.click(edit ?? document.body)
    await screen.findByRole('dialog', { name: 'Edit note' })
    type(await field('Note'), 'Partner back')
    await save()
    await isClosed()
    const { id, ...entry } = paused
    expect(desk.argumentsOf('notes/change')).toEqual([
      { account: account.id, id, entry: { ...entry, text: 'Partner back' } },
    ])
    expect((await screen.findAllByText('Partner back')).length).toBeGreaterThan(0)
  })

  it('says why a note was not saved, and keeps what was typed', async () => {
    const desk = new FakeDesk().answer('notes/add', () => failed('disk'))
    show(desk)
    await press('Add note')
    type(await field('Note'), 'Partner paused')
    await save()
    expect(await screen.findByText('Words about disk.')).toBeTruthy()
    expect((await field('Note')) as HTMLTextAreaElement).toHaveProperty('value', 'Partner paused')
  })
})
