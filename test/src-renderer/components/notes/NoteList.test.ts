import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Outcome } from '#shared/api/failure.ts'
import { usualSettings } from '#shared/app/settings.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { plainOverview, plainReport } from '#shared/views/address.ts'
import type { Finding } from '#shared/watch/alerts.ts'
import { noteView } from '#shared/watch/notes.ts'
import { drawn } from '#test/src-renderer/helpers/drawn.ts'
import { account, FakeDesk, pending, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { deskWithNotes, note } from '#test/src-renderer/helpers/noted.ts'
import { restatedDesk, restatement } from '#test/src-renderer/helpers/restatements.ts'
import { deskWithFindings, finding } from '#test/src-renderer/helpers/watched.ts'
import { openTable, show, standAt } from '#test/src-renderer/helpers/show.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const listOf = (name: string) =>
  screen.findByRole('list', { name: new RegExp(`^Notes( and marks)?: ${name}$`) })
const entriesOf = async (name = 'Script by day') =>
  within(await listOf(name))
    .getAllByRole('listitem')
    .map((item) => item.querySelector('p')?.textContent.replaceAll(/\s+/g, ' ').trim())
const lastMarks = () => {
  const picture = drawn.mock.lastCall?.[1]
  return picture?.kind === 'days' ? picture.marks : null
}

const landing = note(1, '2026-11-14', { text: 'New landing page' })
const paused = note(2, '2026-11-15', { text: 'Partner paused' }, '2026-11-16')

describe('notes beneath a chart', () => {
  it('are listed with numbers, days, text and what they are for, and marked in the chart', async () => {
    show(deskWithNotes([landing, paused, note(3, '2026-11-15', { text: 'Refund asked, case 12' })]).desk)
    expect(await entriesOf()).toEqual([
      'Note 1, Nov 14, 2026 New landing page The whole account',
      'Note 2, Nov 15 – 16, 2026 Partner paused The whole account',
      'Note 2, Nov 15, 2026 Refund asked, case 12 The whole account',
    ])
    expect(await entriesOf('Direct by day')).toHaveLength(3)
    await waitFor(() =>
      expect(lastMarks()).toEqual([
        { kind: 'note', number: 1, from: 1, to: 1 },
        { kind: 'note', number: 2, from: 2, to: 3 },
      ]),
    )
    expect(
      await screen.findByRole('img', { name: /^Script by day, .* 3 notes are listed below\.$/ }),
    ).toBeTruthy()
    const table = await openTable('Script')
    expect(within(table).getByRole('button', { name: /Nov 16, 2026 \(note 2\)/ })).toBeTruthy()
  })

  it('are nothing at all where there are none on these days', async () => {
    show(deskWithNotes([note(1, '2026-10-01')]).desk)
    await screen.findByRole('img', { name: /^Script by day/ })
    expect(screen.queryByRole('list', { name: /^Notes/ })).toBeNull()
    await waitFor(() => expect(lastMarks()).toEqual([]))
  })

  it('come with the chart, which waits for them and not for their failure', async () => {
    const asked = pending<ReturnType<typeof good<readonly never[]>>>()
    const { unmount } = show(new FakeDesk().answer('notes/list', () => asked.promise))
    await screen.findByText('Suspect rate', { selector: 'dt' })
    expect(screen.queryByRole('img', { name: /^Script by day/ })).toBeNull()
    asked.resolve(good([]))
    await screen.findByRole('img', { name: /^Script by day/ })
    unmount()
    show(
      new FakeDesk().answer('notes/list', () => ({ ok: false, failure: { kind: 'disk', message: 'No.' } })),
    )
    await screen.findByRole('img', { name: /^Script by day/ })
  })

  it('are those of the account, of the view and of its filters', async () => {
    const subjects = [
      { kind: 'instance', id: '102' as InstanceId, name: 'Shop' },
      { kind: 'instance', id: '103' as InstanceId, name: 'Blog' },
      { kind: 'source', source: 'news' },
      { kind: 'source', source: 'shop' },
      { kind: 'view', view: noteView({ ...plainOverview, instance: '102' as InstanceId, source: 'news' }) },
      { kind: 'view', view: noteView(plainReport) },
    ] as const
    const notes = subjects.map((subject, index) => note(index, '2026-11-14', { subject }))
    show(deskWithNotes(notes).desk, '#/overview?instance=102&source=news')
    expect(await entriesOf()).toEqual([
      'Note 1, Nov 14, 2026 Note 0 Instance: Shop',
      'Note 1, Nov 14, 2026 Note 2 Source: news',
      'Note 1, Nov 14, 2026 Note 4 Only this view',
    ])
  })

  it('are some at first, and all when asked for', async () => {
    show(deskWithNotes(Array.from({ length: 5 }, (_, index) => note(index, '2026-11-14'))).desk)
    expect(await entriesOf()).toHaveLength(3)
    const [more] = screen.getAllByRole('button', { name: 'Show all 5 notes' })
    await fireEvent.click(more ?? document.body)
    expect(await entriesOf()).toHaveLength(5)
    expect(await entriesOf('Direct by day')).toHaveLength(3)
  })

  it('are deleted one by one, the focus on the next, and come back with Undo', async () => {
    const { desk, list } = deskWithNotes([{ ...landing, leavesOut: true }, paused])
    show(desk)
    await listOf('Script by day')
    const deleteOf = (name: string) => screen.getAllByRole('button', { name })[0] ?? document.body
    deleteOf('Delete note 1: New landing page').focus()
    await fireEvent.click(deleteOf('Delete note 1: New landing page'))
    await waitFor(async () => expect(await entriesOf()).toHaveLength(1))
    expect(document.activeElement).toBe(deleteOf('Delete note 1: Partner paused'))
    await fireEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(async () => expect(await entriesOf()).toHaveLength(2))
    expect(list()).toMatchObject([{ text: 'Partner paused' }, { text: 'New landing page', leavesOut: true }])
  })

  it('stand beneath the chart of a report too', async () => {
    show(deskWithNotes([landing]).desk, '#/reports/script/browsers?chart=lines')
    expect(await entriesOf('Script by browser, by day')).toEqual([
      'Note 1, Nov 14, 2026 New landing page The whole account',
    ])
  })
})

describe('marks of the app beneath a chart', () => {
  const total = { view: noteView(plainOverview), row: null } as const
  const desk = (findings: readonly Finding[], restatements = [restatement]) =>
    deskWithNotes([landing], deskWithFindings(findings, [], restatedDesk(restated, restatements)).desk).desk
  const restated = { days: 1, latest: restatement.afterFetchedAt }

  it('are findings and restated days, each with a door, after the notes', async () => {
    show(desk([finding(1, total)]))
    await waitFor(async () =>
      expect(await entriesOf()).toEqual([
        'Note 1, Nov 14, 2026 New landing page The whole account',
        'Finding, Nov 18 – 19, 2026 Total: Bad rate 12.4%, usually 5.1% Found by alert, open',
        expect.stringMatching(
          /^Restated, Nov 18, 2026 Figures changed after they were saved Restated, last on /,
        ),
      ]),
    )
    await waitFor(() =>
      expect(drawn.mock.calls.map(([, picture]) => picture.kind === 'days' && picture.marks)).toContainEqual([
        { kind: 'note', number: 1, from: 1, to: 1 },
        { kind: 'finding', from: 5, to: 6 },
        { kind: 'restated', from: 5, to: 5 },
      ]),
    )
    expect(
      await screen.findByRole('img', { name: /One note, one finding and restated days are listed below\.$/ }),
    ).toBeTruthy()
    const table = await openTable('Script')
    expect(within(table).getByRole('button', { name: /Nov 18, 2026 \(.*finding, restated\)/ })).toBeTruthy()
    const script = within(await screen.findByRole('list', { name: 'Notes and marks: Script by day' }))
    const door = script.getByRole('link', { name: /^Open finding: Total/ })
    expect(door.getAttribute('href')).toBe(`#/findings/${finding(1).id}`)
    await fireEvent.click(script.getByRole('button', { name: 'Older figures: Nov 18, 2026' }))
    expect(await screen.findByRole('dialog', { name: 'Restated days' })).toBeTruthy()
    // Findings are of one family.
    expect(await entriesOf('Direct by day')).toHaveLength(2)
  })

  it("have the account's name for a rule set, and come without holding up the chart", async () => {
    const rules = desk([], [])
    const asked = pending<Outcome<readonly Finding[]>>()
    const named = [{ account: account.id, code: 'UE', name: 'Unusual browser' }]
    rules
      .answer('findings/since', () => asked.promise)
      .answer('settings/read', () => good({ ...usualSettings, ruleNames: named }))
    show(rules)
    await screen.findByRole('img', { name: /^Script by day/ })
    asked.resolve(good([finding(1, { ...total, measure: 'rule-mix', rule: 'UE' })]))
    await waitFor(async () => expect((await entriesOf())?.join()).toContain('Unusual browser'))
    expect(rules.argumentsOf('findings/since')).toContainEqual({ account: account.id, day: '2026-11-13' })
  })

  it('are some at first, and all when asked for', async () => {
    const findings = [1, 2, 3, 4].map((number) => finding(number, total))
    show(desk(findings, []))
    await waitFor(async () => expect(await entriesOf()).toHaveLength(3))
    const [more] = screen.getAllByRole('button', { name: 'Show all 5 notes and marks' })
    await fireEvent.click(more ?? document.body)
    expect(await entriesOf()).toHaveLength(5)
  })
})
