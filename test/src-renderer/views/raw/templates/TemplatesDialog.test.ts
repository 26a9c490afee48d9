import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import { FakeDesk, account, bad, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { draft, listOf, listed, request, schedule, template } from '#test/src-renderer/helpers/raw-reports.ts'
import { choose, show, type } from '#test/src-renderer/helpers/show.ts'
import { asked, desk, faultOf, field, open, send } from '#test/src-renderer/helpers/raw-form.ts'

describe('templates', () => {
  const weekly = template(300)

  it('fill the form, over days of now', async () => {
    const of = desk().answer('raw/templates', () => good([weekly]))
    await open(of, `template:${weekly.id}`)
    expect(field('Name').value).toBe('Bad traffic')
    expect(new Date(field('Start').value).getUTCDay()).toBe(1)
    await send()
    await waitFor(() => expect(asked(of)?.template).toBe(weekly.id))
  })

  it('are made of what stands in the form', async () => {
    const of = desk().answer('raw/queue', () =>
      good({ requests: [request(1, { kind: 'waiting', for: 'turn' })], limits: null }),
    )
    of.answer('raw/save-template', () => good(weekly))
    await open(of, `request:${request(1, { kind: 'sending' }).id}`)
    await fireEvent.click(screen.getByRole('button', { name: 'Save as template' }))
    const dialog = within(await screen.findByRole('dialog'))
    type(dialog.getByRole('textbox', { name: 'Template name' }), 'Weekly')
    choose(dialog.getByRole('combobox', { name: 'Days' }), 'Last week')
    await fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
    const { type: asked, instance, name, standard, additional, filters, email } = draft()
    const stored = { type: asked, instance, name, standard, additional, filters, email }
    await waitFor(() =>
      expect(of.argumentsOf('raw/save-template')).toEqual([
        {
          account: account.id,
          template: null,
          entry: { name: 'Weekly', draft: stored, period: 'last-week', save: true },
        },
      ]),
    )
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await send()
    await waitFor(() => expect(of.argumentsOf('raw/request').at(-1)?.template).toBe(weekly.id))
  })

  it('get another name, unless there is something wrong with it', async () => {
    let stored = weekly
    const of = new FakeDesk()
      .answer('raw/list', () => good(listOf([listed('r-1')])))
      .answer('raw/templates', () => good([stored]))
      .answer('raw/save-template', ({ entry, template: which }) => {
        if (entry.name === 'Taken') return bad({ kind: 'invalid', message: 'There is one.', field: 'name' })
        stored = { ...stored, ...entry, id: which ?? stored.id }
        return good(stored)
      })
    show(of, '#/raw')
    await fireEvent.click(await screen.findByRole('button', { name: 'Templates' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Templates' }))
    await fireEvent.click(await dialog.findByRole('button', { name: `Rename ${weekly.name}` }))
    const name = dialog.getByRole<HTMLInputElement>('textbox', { name: 'New name' })
    expect(name.value).toBe(weekly.name)
    type(name, 'Taken')
    await fireEvent.click(dialog.getByRole('button', { name: 'Save name' }))
    await waitFor(() => expect(faultOf(name)).toBe('There is one.'))
    type(name, ' Weekly, client Y ')
    await fireEvent.click(dialog.getByRole('button', { name: 'Save name' }))
    const renamed = await dialog.findByRole('button', { name: 'Rename Weekly, client Y' })
    await waitFor(() => expect(document.activeElement).toBe(renamed))
    const { id, ...entry } = weekly
    expect(of.argumentsOf('raw/save-template').at(-1)).toEqual({
      account: account.id,
      template: id,
      entry: { ...entry, name: 'Weekly, client Y' },
    })
  })

  it('come back as the same ones, with their schedules, where removing them is undone', async () => {
    let there = true
    const of = new FakeDesk()
      .answer('raw/list', () => good(listOf([listed('r-1')])))
      .answer('raw/templates', () => good(there ? [weekly] : []))
      .answer('raw/schedules', () => good(there ? [schedule(400, weekly, { paused: true })] : []))
      .answer('raw/remove-template', () => ((there = false), good(null)))
      .answer('raw/undo-remove-template', () => ((there = true), good(null)))
    show(of, '#/raw')
    await fireEvent.click(await screen.findByRole('button', { name: 'Templates' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Templates' }))
    await fireEvent.click(await dialog.findByRole('button', { name: `Remove ${weekly.name}` }))
    await waitFor(() => expect(dialog.queryByRole('button', { name: `Remove ${weekly.name}` })).toBeNull())
    await fireEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await dialog.findByRole('list', { name: `Schedules of ${weekly.name}` })
    const which = { account: account.id, template: weekly.id }
    expect(of.argumentsOf('raw/remove-template')).toEqual([which])
    expect(of.argumentsOf('raw/undo-remove-template')).toEqual([which])
    expect(of.argumentsOf('raw/save-template')).toEqual([])
    expect(of.argumentsOf('raw/save-schedule')).toEqual([])
  })

  it('are scheduled, paused and removed in their dialog', async () => {
    let schedules: { id: string }[] = []
    const of = new FakeDesk()
      .answer('raw/list', () => good(listOf([listed('r-1')])))
      .answer('raw/templates', () => good([weekly]))
      .answer('raw/schedules', () => good(schedules as never))
      .answer('raw/save-schedule', ({ entry }) => {
        const stored = {
          ...entry,
          id: '5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9400',
          lastOccurrence: null,
          nextOccurrence: null,
        }
        schedules = [stored]
        return good(stored as never)
      })
    show(of, '#/raw')
    await fireEvent.click(await screen.findByRole('button', { name: 'Templates' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Templates' }))
    await fireEvent.click(await dialog.findByRole('button', { name: `Schedule ${weekly.name}` }))
    choose(dialog.getByRole('combobox', { name: 'Time' }), '07:00')
    await fireEvent.click(dialog.getByRole('button', { name: 'Add schedule' }))
    await fireEvent.click(await dialog.findByRole('button', { name: 'Pause: Every Monday at 07:00' }))
    expect(of.argumentsOf('raw/save-schedule')).toMatchObject([
      {
        schedule: null,
        entry: { template: weekly.id, when: { kind: 'week', weekday: 1, hour: 7 }, paused: false },
      },
      { schedule: '5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9400', entry: { paused: true } },
    ])
    await fireEvent.click(dialog.getByRole('button', { name: `Remove ${weekly.name}` }))
    await waitFor(() => expect(of.argumentsOf('raw/remove-template')[0]?.template).toBe(weekly.id))
    await fireEvent.click(dialog.getByRole('button', { name: `Use ${weekly.name}` }))
    await waitFor(() => expect(window.location.hash).toBe(`#/raw?form=template%3A${weekly.id}`))
  })
})
