import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import * as v from 'valibot'
import { beforeAll, expect, it } from 'vitest'
import { addDays } from '#shared/values/day.ts'
import { startProcess } from '../helpers/app.ts'
import { ownDownloads } from '../helpers/own-downloads.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { addAccount, connect, openView, status } from '../helpers/window.ts'
import { EventOracle } from '../oracle/figures.ts'
import { screenOf } from './screen.ts'
import { expectShown } from './shown.ts'
import type { Shown } from './shown.ts'
import { lastDays, oracleOfToday, startTour, today } from './start.ts'

let oracle: EventOracle

beforeAll(() => {
  oracle = oracleOfToday()
})

const requests = v.object({
  requests: v.array(v.object({ path: v.string(), parameters: v.looseObject({}) })),
})

it('answers 90 days of a service that answers no more than 7, and asks nothing of them twice', async () => {
  const { page, hands, sandbox } = await startTour()
  await sandbox.control('POST', '/behaviour', { windows: { tables: 7, overview: 7 } })
  // Days that no longer change: others are asked for anew once a service was away, which one that is slow may seem to be.
  const [start, end] = [addDays(today(), -92), addDays(today(), -3)]
  const range = { start, end }
  const days = `start=${start}&end=${end}`
  for (const [name, path] of [
    ['Script by browser', 'script/browsers'],
    ['Direct by network', 'direct/networks'],
  ] as const) {
    /** What was asked of the table, and how often what its rates are shares of. */
    const asked = async () => {
      const all = v.parse(requests, await sandbox.control('GET', '/requests')).requests
      const ofTable = all.filter((request) => request.path === path)
      return {
        days: ofTable.filter(({ parameters }) => !parameters['rates']),
        rates: ofTable.filter(({ parameters }) => parameters['rates']).length,
      }
    }
    const address = `#/reports/${path}`
    const shown = (...[, wanted, additions]: Shown) => expectShown(page, oracle, name, wanted, additions)
    await hands.follow(`${address}?${days}`)
    expect.soft(await shown(name, range)).toMatch(/^Combined from 90 saved days/)
    const before = await asked()
    await hands.follow(`${address}?${days}&sort=asc%3AMobile&limit=5&page=2&rates=1`)
    await shown(name, { ...range, sort: [['Mobile', 'asc']], limit: 5, page: 2 }, { rates: true })
    const fewer = { start: addDays(start, 10), end: addDays(end, -2) }
    await hands.follow(`${address}?start=${fewer.start}&end=${fewer.end}`)
    await shown(name, fewer)
    await hands.follow(`${address}?${days}&sort=asc%3AMobile&limit=5&page=3&rates=1`)
    await shown(name, { ...range, sort: [['Mobile', 'asc']], limit: 5, page: 3 }, { rates: true })
    const { days: ofDays, rates } = await asked()
    expect.soft(ofDays.slice(before.days.length)).toEqual([])
    expect.soft(rates).toBeLessThanOrEqual(1)
  }
})

it('keeps its figures where the token is refused, and has one place for a new one', async () => {
  const { page, hands, sandbox } = await startTour()
  const name = 'Script by browser'
  await hands.open('Script', 'Browsers')
  const before = await screenOf(page, name)
  await sandbox.control('POST', '/tokens', { revoke: 'admin' })
  await page.getByRole('button', { name: 'Refresh', exact: true }).click()
  const banner = page.getByText('The service rejected the access token')
  await banner.waitFor()
  const { headers, rows, paging } = await screenOf(page, name)
  expect({ headers, rows, paging }).toEqual({
    headers: before.headers,
    rows: before.rows,
    paging: before.paging,
  })
  expect(await status(page).innerText()).toMatch(/^As of /)
  const entry = page.getByLabel('Access token', { exact: true })
  expect(await entry.count()).toBe(1)

  const use = page.getByRole('button', { name: 'Use new token' })
  await entry.fill(sandbox.tokens.expired)
  await use.click()
  await page.getByRole('alert').filter({ hasText: /token/i }).waitFor()
  await sandbox.control('POST', '/tokens', { restore: 'admin' })
  await entry.fill(sandbox.tokens.admin)
  await use.click()
  await banner.waitFor({ state: 'detached' })
  await hands.open('Script', 'Devices')
  await expectShown(page, oracle, 'Script by device', lastDays(7))
})

/** A cell of the grid as a file has it: a count's digits, nothing for what is not known, percentages as numbers, to two decimals. */
function asWritten(text: string, place: number): string {
  if (place === 0) return text
  if (text === '–') return ''
  const digits = text.replaceAll(',', '').replace('%', '')
  expect(digits).toMatch(/^\d+(\.\d+)?$/)
  return String(Number(digits))
}

it('writes the table as it is seen into a file that reads back as the grid', async () => {
  const { folder: files, env } = ownDownloads()
  const { page, hands } = await startTour({ env })
  const name = 'Script by instance'
  await hands.follow('#/reports/script/sessions?rates=1&rules=1&sort=asc%3AAd%20Blocker')
  const { headers, rows } = await screenOf(page, name)
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Table as seen: CSV', exact: true }).click()
  await page
    .getByRole('region', { name: 'Exports' })
    .getByRole('button', { name: 'Show in folder' })
    .waitFor()
  const [file = '', ...others] = readdirSync(files)
  expect(others).toEqual([])
  const { data, errors } = Papa.parse<string[]>(readFileSync(join(files, file), 'utf8'), {
    skipEmptyLines: true,
  })
  expect(errors).toEqual([])
  // A file holds rates as they are, the grid to two decimals.
  const asShown = (cell: string) =>
    /^\d+\.\d+$/.test(cell) ? String(Math.round(Number(cell) * 100) / 100) : cell
  expect(
    data.map((row) => row.map((cell, place) => (place === 0 ? cell.replace('\ufeff', '') : asShown(cell)))),
  ).toEqual([headers, ...rows.map((row) => row.map(asWritten))])
})

it('switches between two accounts with one keystroke, each with its own figures', async () => {
  const other = await startSandbox({ seed: 12, today: today() })
  const itsOracle = new EventOracle(12, today())
  const { page, hands, loseService } = await startTour()
  await addAccount(page)
  await connect(page, { name: 'Other', address: other.address, token: other.tokens.admin })
  await page.getByRole('button', { name: 'Account: Other', exact: true }).waitFor()
  await openView(page, 'Reports')
  const name = 'Script by browser'
  await hands.open('Script', 'Browsers')
  const week = lastDays(7)
  await expectShown(page, itsOracle, name, week)
  for (const [key, whose, words] of [
    ['Control+1', oracle, 'Account: Tour'],
    ['Control+2', itsOracle, 'Account: Other'],
    ['Control+1', oracle, 'Account: Tour'],
  ] as const) {
    await page.keyboard.press(key)
    await page.getByRole('button', { name: words, exact: true }).waitFor()
    await expectShown(page, whose, name, week)
  }
  await loseService()
  await expectShown(page, oracle, name, week)
  await page.keyboard.press('Control+2')
  await page.getByRole('button', { name: 'Account: Other', exact: true }).waitFor()
  await expectShown(page, itsOracle, name, week)
  expect(await status(page).innerText()).toMatch(/^As of /)
})

it('opens a link in the app that runs, with the service gone too', async () => {
  const { page, hands, profile, loseService } = await startTour()
  const name = 'Direct by country'
  const asked = 'sort=asc%3AMobile&rates=1'
  await hands.follow(`#/reports/direct/geography?${asked}`)
  const wanted = { ...lastDays(7), sort: [['Mobile', 'asc']] } as const
  await expectShown(page, oracle, name, wanted, { rates: true })
  await openView(page, 'Settings')
  for (const lose of [async () => undefined, loseService]) {
    await lose()
    await openView(page, 'Settings')
    const link = `traffic-desk://reports/direct/geography?${asked}`
    expect(await startProcess({ profile, args: [link] }).ended).toBe(0)
    await expectShown(page, oracle, name, wanted, { rates: true })
  }
})
