import { describe, expect, it } from 'vitest'
import { addDays, dayAt, dayToWire } from '#shared/values/day.ts'
import { brokenRules, noDrafts, rightDraft } from '#test/helpers/raw-rules.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { openView } from '../helpers/window.ts'
import { connectTo, ownDesk } from '../raw/desk.ts'
import {
  askedOf,
  button,
  chooseColumns,
  chooseInstance,
  choosePeriod,
  faultOf,
  fillSmall,
  messages,
  openForm,
  row,
  send,
  table,
  until,
} from './hands.ts'

const today = dayAt(Date.now(), 'UTC')

async function begin() {
  const sandbox = await startSandbox()
  await sandbox.control('POST', '/behaviour', { raw: { concurrency: 100, minutes: 100_000 } })
  const page = await ownDesk().start().window()
  await connectTo(page, 'Northwind', sandbox)
  return { sandbox, page }
}

describe('what may be asked for', () => {
  it('is said with every key, held by the main process whatever a window says, and by the service in its words', async () => {
    const { sandbox, page } = await begin()
    await openForm(page)
    const [start, end] = [page.getByLabel('Start', { exact: true }), page.getByLabel('End', { exact: true })]
    await start.fill(addDays(today, -91))
    expect(await faultOf(start)).toBe('Start is more than 90 days ago.')
    await end.fill(addDays(today, 1))
    expect(await faultOf(end)).toBe('End is later than today.')
    await start.fill(today)
    await end.fill(addDays(today, -1))
    expect([await faultOf(start), await faultOf(end)]).toEqual(['', 'End is before start.'])
    const columns = page.getByRole('group', { name: 'Standard columns' })
    await button(columns, 'None').first().click()
    expect(await faultOf(columns)).toBe('Choose at least one standard column.')
    await columns.getByRole('checkbox', { name: 'Result' }).check()
    await button(page, 'Add filter').click()
    const filter = page.getByRole('group', { name: 'Filter 1' })
    expect(await filter.getByLabel('Operator').locator('option').allInnerTexts()).toEqual(['is', 'is not'])
    await columns.getByRole('checkbox', { name: 'Result' }).uncheck()
    expect(await faultOf(filter.getByLabel('Column'))).toBe('Result is not in the report.')
    await button(page, 'Request report').click()
    const instance = page.getByRole('combobox', { name: 'Instance' })
    await until(() => faultOf(instance)).toBe('Choose an instance.')
    expect(await instance.evaluate((field) => field === document.activeElement)).toBe(true)

    const drafts = [
      ...brokenRules(today),
      ...noDrafts.map(([rule, changes]) => ({ rule, changes, field: null })),
    ]
    const outcomes = await page.evaluate(
      async (all) => {
        const state = await window.desk.call('desk/state')
        const account = state.ok ? state.value.active : null
        const call: (...given: never[]) => Promise<unknown> = window.desk.call
        return Promise.all(
          all.map((draft) => call(...(['raw/request', { account, draft, template: null }] as never[]))),
        )
      },
      drafts.map(({ changes }) => ({ ...rightDraft(today), ...changes })),
    )
    const tooLong = ['a name fits into the field', 'a value fits into the field']
    drafts.forEach(({ rule, field }, place) => {
      const named = field !== null && !tooLong.includes(rule)
      expect([rule, outcomes[place]]).toMatchObject([
        rule,
        { ok: false, failure: { kind: 'invalid', ...(named && { field }) } },
      ])
    })
    expect(await askedOf(sandbox, 'raw/request')).toEqual([])

    // What the window lets pass and the service does not is said in its words, beside the field that it names.
    await openView(page, 'Settings')
    const many = page.getByLabel('Additional columns', { exact: true })
    await many.fill('12')
    await many.press('Enter')
    await openForm(page)
    await button(page, 'Start over').click()
    await button(page, 'Start over').waitFor({ state: 'detached' })
    await fillSmall(page, 'Refused')
    const additional = page.getByRole('group', { name: 'Additional columns' })
    const twelve = additional.getByRole('checkbox', { name: 'Additional 12' })
    for (const refusals of ['feedback', 'bad-request']) {
      await sandbox.control('POST', '/behaviour', { raw: { refusals } })
      await twelve.check()
      await button(page, 'Request report').click()
      await until(() => faultOf(additional)).toContain('Additional columns are whole numbers from 1 to 10')
      expect(await page.getByRole('alert').innerText()).toMatch(
        /The service (?:does not take|rejected) this request[^]*The service said: .?The report was not requested/,
      )
      await twelve.uncheck()
      expect(await faultOf(additional)).toBe('')
    }
    await send(page)
    await row(page, 'Refused').waitFor()
    const sent = (await askedOf(sandbox, 'raw/request')).map(({ parameters }) => parameters['additional'])
    expect(sent).toEqual([[12], [12], undefined])
  })
})

describe('what is asked for', () => {
  it('is what the form holds, of every type; columns are remembered; a report is asked for again; a template is kept and used', async () => {
    const { sandbox, page } = await begin()
    const days = { start: dayToWire(addDays(today, -2)), end: dayToWire(today) }
    const instance = page.getByRole('combobox', { name: 'Instance' })
    const filled = async (type: string, name: string, ...columns: readonly string[]) => {
      await openForm(page)
      await page.getByLabel('Type', { exact: true }).selectOption(type)
      await chooseInstance(page, 'Northwind News')
      await page.getByLabel('Start', { exact: true }).fill(addDays(today, -2))
      await page.getByLabel('End', { exact: true }).fill(today)
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
      await chooseColumns(page, ...columns)
    }
    const filterBy = async (place: number, column: string, operator: string | null, value: string | null) => {
      await button(page, 'Add filter').click()
      const filter = page.getByRole('group', { name: `Filter ${place}` })
      await filter.getByLabel('Column').selectOption(column)
      if (operator !== null) await filter.getByLabel('Operator').selectOption(operator)
      const field = filter.getByLabel('Value')
      expect(await field.count()).toBe(value === null ? 0 : 1)
      if (value === null) return
      const isList = await field.evaluate((each) => each.tagName === 'SELECT')
      await (isList ? field.selectOption(value) : field.fill(value))
    }

    await filled('Request', 'Dropped', 'Source', 'External ID')
    await page.getByRole('checkbox', { name: 'Additional 3' }).check()
    await filterBy(1, 'Result', null, 'drops')
    await filterBy(2, 'External ID', 'is not empty', null)
    await filterBy(3, 'Additional 3', 'contains', 'a+b %20é')
    await send(page)
    await filled('Response', 'Bad ones', 'Result', 'Country')
    await filterBy(1, 'Result', 'is not', 'good')
    await page.getByRole('switch', { name: 'Email me when ready' }).click()
    await send(page)
    await filled('Direct', '', 'App ID')
    await filterBy(1, 'App ID', 'is empty', null)
    await send(page)
    await expect.poll(async () => (await askedOf(sandbox, 'raw/request')).length).toBe(3)
    const sent = (await askedOf(sandbox, 'raw/request')).map(({ parameters }) => parameters)
    const instanceId = sent[0]?.['instance']
    expect(sent).toEqual([
      {
        ...{ type: 'request', instance: instanceId, ...days, name: 'Dropped', standard: ['source', 'exid'] },
        ...{ additional: [3], send_email: false },
        filters: [
          { column: 'result', value: 'drops' },
          { column: 'exid', operator: 'not_empty' },
          { column: '3', operator: 'contains', value: 'a+b %20é' },
        ],
      },
      {
        ...{ type: 'response', instance: instanceId, ...days, name: 'Bad ones' },
        ...{ standard: ['result', 'country'], send_email: true },
        filters: [{ column: 'result', operator: 'not_equals', value: 'good' }],
      },
      {
        ...{ type: 'direct', instance: instanceId, ...days, standard: ['app_id'], send_email: false },
        filters: [{ column: 'app_id', operator: 'empty' }],
      },
    ])

    // A further form begins with the columns of the last report of its type.
    await openForm(page)
    const sets = page.getByLabel('Recent sets')
    expect(await sets.evaluate((each) => (each as HTMLSelectElement).selectedOptions[0]?.text)).toBe(
      'Last used: Result, Country',
    )
    await page.getByLabel('Type', { exact: true }).selectOption('Request')
    const chosen = page
      .getByRole('group', { name: 'Standard columns' })
      .getByRole('checkbox', { checked: true })
    await until(() => chosen.count()).toBe(2)
    await button(page, 'Cancel').click()

    // A report that another program asked for, with filters, days and columns of its own.
    await row(page, 'Bad at 50%+ / "é 中"').getByRole('link').click()
    await button(page, 'Request again…').click()
    await page.getByRole('group', { name: 'Filter 1' }).waitFor()
    expect(await instance.inputValue()).not.toBe('')
    await button(page, 'Request report').click()
    await until(async () => (await askedOf(sandbox, 'raw/request')).length).toBe(4)
    expect((await askedOf(sandbox, 'raw/request'))[3]?.parameters).toEqual({
      type: 'response',
      instance: expect.any(String),
      start: dayToWire(addDays(today, -8)),
      end: dayToWire(addDays(today, -2)),
      name: 'Bad at 50%+ / "é 中"',
      standard: ['source', 'result', 'invalid_traffic_type', 'user_agent', 'page', 'referrer'],
      additional: [1, 3, 5],
      filters: [{ column: 'result', operator: 'equals', value: 'bad' }],
      send_email: false,
    })
    await table(page).waitFor()

    await openForm(page)
    await fillSmall(page, 'Weekly')
    await choosePeriod(page, 'Last week')
    await button(page, 'Save as template').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Template name').fill('Weekly bad traffic, client X')
    await button(dialog, 'Save').click()
    await until(() => messages(page).innerText()).toContain('Template saved')
    await button(page, 'Cancel').click()

    await button(page, 'Templates').click()
    await button(dialog, 'Rename Weekly bad traffic, client X').click()
    await dialog.getByLabel('New name').fill('Weekly, client Y')
    await button(dialog, 'Save name').click()
    await button(dialog, 'Schedule Weekly, client Y').click()
    await button(dialog, 'Add schedule').click()
    await dialog.getByText('Every Monday at 06:00').waitFor()
    await button(dialog, 'Remove Weekly, client Y').click()
    await until(() => dialog.getByRole('list', { name: 'Templates' }).getByRole('listitem').count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click({ delay: 100 })
    await dialog.getByText('Every Monday at 06:00').waitFor()
    await button(dialog, 'Use Weekly, client Y').click()
    await button(page, 'Request report').click()
    await row(page, 'Weekly').waitFor()
    const fromTemplate = (await askedOf(sandbox, 'raw/request')).at(-1)
    // Weeks begin where the system says: its own days of the week are tested beside the source.
    const firstWeekday = await page.evaluate(async () => {
      const state = await window.desk.call('desk/state')
      return state.ok ? state.value.weeksBeginOn : 1
    })
    const weekday = (new Date(today).getUTCDay() - firstWeekday + 7) % 7
    expect(fromTemplate?.parameters).toMatchObject({
      start: dayToWire(addDays(today, -weekday - 7)),
      end: dayToWire(addDays(today, -weekday - 1)),
      standard: ['country'],
    })
  })
})
