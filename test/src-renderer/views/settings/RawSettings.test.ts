import { screen, waitFor, fireEvent } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import { day } from '#shared/values/day.ts'
import { previewOf, unknownParts } from '#shared/downloads/download.ts'
import { announcementKinds, announcementWords } from '#shared/raw/settings.ts'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import { applyChanges, usualSettings } from '#shared/app/settings.ts'
import { FakeDesk, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, type } from '#test/src-renderer/helpers/show.ts'

type Answer = CallOutcome<'settings/write'>

const written = (desk: FakeDesk) => desk.argumentsOf('settings/write').at(-1)?.raw
const found = () => screen.findByRole('region', { name: 'Raw reports' })

describe('the settings of raw reports', () => {
  it.each(announcementKinds)('turn announcing %s off, and nothing else', async (kind) => {
    const desk = new FakeDesk()
    show(desk, '#/settings')
    await found()
    await fireEvent.click(screen.getByRole('switch', { name: announcementWords[kind] }))
    await waitFor(() => expect(written(desk)).toEqual({ announce: { [kind]: false } }))
  })

  it('stand as they were changed while others are still on their way, also where one of those is refused', async () => {
    const desk = new FakeDesk()
    const answers: ((outcome: Answer) => void)[] = []
    desk.answer('settings/write', () => new Promise<Answer>((resolve) => answers.push(resolve)))
    show(desk, '#/settings')
    await found()
    const unpacks = () => screen.getByRole('switch', { name: 'Unpack archives' }).ariaChecked
    const saves = () => screen.getByRole<HTMLInputElement>('radio', { name: 'None' }).checked
    await fireEvent.click(screen.getByRole('switch', { name: 'Unpack archives' }))
    await fireEvent.click(screen.getByRole('radio', { name: 'None' }))
    await fireEvent.click(screen.getByRole('switch', { name: announcementWords.failed }))
    await waitFor(() => expect(answers).toHaveLength(3))
    expect([unpacks(), saves()]).toEqual(['true', true])
    // The answer to one knows nothing of the others yet.
    answers[0]?.(good(applyChanges(usualSettings, { raw: { unpack: true } })))
    answers[2]?.(failed('disk'))
    await screen.findByText('Words about disk.')
    expect([unpacks(), saves()]).toEqual(['true', true])
    answers[1]?.(good(applyChanges(usualSettings, { raw: { unpack: true, saving: 'none' } })))
    expect(desk.argumentsOf('settings/write')).toEqual([
      { raw: { unpack: true } },
      { raw: { saving: 'none' } },
      { raw: { announce: { failed: false } } },
    ])
  })

  it('say which addresses are never blocked, and name what is none', async () => {
    const desk = new FakeDesk()
    show(desk, '#/settings')
    await found()
    const field = screen.getByRole('textbox', { name: 'Never block' })
    type(field, '203.0.113.*\noffice')
    await screen.findByText('1 range. Not read: line 2 “office”.')
    await waitFor(() =>
      expect(desk.argumentsOf('settings/write')).toEqual([{ neverBlocked: ['203.0.113.0/24'] }]),
    )
    expect(field).toHaveProperty('value', '203.0.113.*\noffice')
    type(field, '203.0.113.0/24, 2001:db8::1')
    await waitFor(() =>
      expect(desk.argumentsOf('settings/write').at(-1)).toEqual({
        neverBlocked: ['203.0.113.0/24', '2001:db8::1'],
      }),
    )
    await fireEvent.click(screen.getByRole('switch', { name: 'Import and recount saved archives' }))
    await waitFor(() => expect(desk.argumentsOf('settings/write').at(-1)).toEqual({ readsIn: false }))
  })

  it('choose what is saved, unpacked, how fast, and how many columns there are', async () => {
    const desk = new FakeDesk()
    show(desk, '#/settings')
    await found()
    await fireEvent.click(screen.getByRole('radio', { name: 'None' }))
    await waitFor(() => expect(written(desk)?.saving).toBe('none'))
    await fireEvent.click(screen.getByRole('switch', { name: 'Unpack archives' }))
    await waitFor(() => expect(written(desk)?.unpack).toBe(true))
    type(screen.getByLabelText('Bandwidth limit, in kB per second'), '500')
    await waitFor(() => expect(written(desk)).toEqual({ bandwidth: 500 }))
    type(screen.getByLabelText('Bandwidth limit, in kB per second'), '')
    await waitFor(() => expect(written(desk)?.bandwidth).toBeNull())
    type(screen.getByLabelText('Additional columns'), '25')
    await waitFor(() => expect(written(desk)?.additionalColumns).toBe(25))
  })

  it.each([
    ['Bandwidth limit, in kB per second', '9', 'Enter a whole number from 10 to 1,000,000.'],
    ['Bandwidth limit, in kB per second', 'fast', 'Enter a whole number from 10 to 1,000,000.'],
    ['Additional columns', '1001', 'Enter a whole number from 0 to 1,000.'],
    ['Additional columns', '', 'Enter a number.'],
    ['File names', '{nmae}', 'There is no {nmae}.'],
    ['File names', ' ', 'Enter a pattern.'],
  ])('do not take %s “%s”', async (name, value, words) => {
    const desk = new FakeDesk()
    show(desk, '#/settings')
    await found()
    type(screen.getByLabelText(name), value)
    expect((await screen.findByText(words)).getAttribute('role')).toBe('alert')
    expect(desk.argumentsOf('settings/write')).toEqual([])
  })

  it('show what a pattern gives', async () => {
    const desk = new FakeDesk()
    show(desk, '#/settings')
    await found()
    type(screen.getByLabelText('File names'), '{type}: {name}')
    expect(await screen.findByText('Response Weekly bad traffic.zip')).toBeTruthy()
    await waitFor(() => expect(written(desk)?.fileNames).toBe('{type}: {name}'))
  })
})

describe('the preview of a file name', () => {
  const example = {
    account: 'A/B',
    name: 'Name',
    start: day('2026-11-01'),
    end: day('2026-11-07'),
    type: 'Direct',
    instance: '',
  }

  it('leaves out what no system takes', () => {
    expect(previewOf('{account} {name}/{start}', example)).toBe('A B Name 2026-11-01.zip')
    expect(previewOf('..{instance}..', example)).toBe('Name.zip')
    expect(previewOf('CON', example)).toBe('_CON.zip')
  })

  it('names parts that there are not', () => {
    expect(unknownParts('{name} {nmae} {}')).toEqual(['nmae', ''])
  })
})
