import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openView } from '../helpers/window.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { usedDesk } from './desk.ts'
import { requestsIn } from './kept.ts'

async function fillIn(page: Page, name: string): Promise<void> {
  await openView(page, 'Raw reports')
  await page.getByRole('button', { name: 'New raw report' }).first().click()
  await page.getByRole('combobox', { name: 'Instance' }).click()
  await page.getByRole('listbox').getByRole('option', { name: 'Northwind News' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('button', { name: 'Request report' }).click()
}

/** When the app is killed: by whoever waits for the report at the service, or by itself as its request leaves. */
const moments = [
  ['its answer is held back', 'answer held back', undefined],
  ['its request leaves', 'request leaving', 'requested'],
] as const

it.each(moments)(
  'asks for a report once though it is killed while %s',
  async (_, name, dieAt) => {
    const desk = await usedDesk()
    const made = async () => (await desk.service.reports()).filter((each) => each.name === name).length
    await desk.sandbox.control('POST', '/faults', {
      ...{ path: 'raw/request', does: { kind: 'delay', milliseconds: 600_000 } },
    })
    const first = desk.start(dieAt, { window: true })
    await fillIn(await first.page(), name)
    await expect.poll(made, pollOptions).toBe(1)
    if (dieAt === undefined) await first.kill()
    expect(await first.ended).toBeNull()
    expect(requestsIn(desk.profile)).toEqual([{ report: null }])

    const again = desk.start()
    await expect.poll(() => requestsIn(desk.profile)[0]?.report, pollOptions).toBeTruthy()
    await again.kill()
    // With a list and a record at hand there is nothing left to send.
    await desk.live()
    expect(await made()).toBe(1)
    expect(requestsIn(desk.profile)).toHaveLength(1)
  },
  120_000,
)
