import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { usualSettings } from '#shared/app/settings.ts'
import { account, FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, standAt, type } from '#test/src-renderer/helpers/show.ts'

// What opens with the first click is prepared once, so that no test waits for that.
beforeAll(async () => {
  await import('#renderer/components/menu/ContextMenuHost.svelte')
  await import('#renderer/components/rules/RuleNameDialog.svelte')
}, 60_000)
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const header = (name: string | RegExp) => screen.findByRole('columnheader', { name })

it('gives a rule set a name by the menu of its header, which headers and words say then', async () => {
  const desk = new FakeDesk()
  show(desk, '#/reports/script/browsers?rules=1')
  await fireEvent.contextMenu(await header(/UE/), { button: 2 })
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'Name this rule set…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Name rule set UE' }))
  type(dialog.getByRole('textbox', { name: 'Name' }), ' User agents ')
  await fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
  const named = await header(/User agents/)
  expect(within(named).getByRole('button').title).toContain('Rule set UE: User agents')
  expect(desk.argumentsOf('settings/write')).toEqual([
    { ruleNames: [{ account: account.id, code: 'UE', name: 'User agents' }] },
  ])
  await header(/SP/)
})

it('lists what rule sets of the account are called among the words, and takes a name off', async () => {
  const ruleNames = [{ account: account.id, code: 'DC', name: 'Data centres' }]
  const desk = new FakeDesk().answer('settings/read', () => good({ ...usualSettings, ruleNames }))
  show(desk, '#/help/words')
  await screen.findByText('Data centres')
  await fireEvent.click(screen.getByRole('button', { name: 'Rename rule set DC' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Name rule set DC' }))
  type(dialog.getByRole('textbox', { name: 'Name' }), '')
  await fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByText('Data centres')).toBeNull())
})
