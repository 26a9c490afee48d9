import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { usualPaper } from '#shared/exports/paper.ts'
import type { Paper } from '#shared/exports/paper.ts'
import { pagesOfPdf } from '#test/helpers/pdf-text.ts'
import { ownDownloads } from './helpers/own-downloads.ts'
import { pollOptions } from './helpers/poll-options.ts'
import { gridOf } from './helpers/reports.ts'
import { startTour } from './tour/start.ts'

/** Looks at a view, and saves its pages. Each page's text, without what letters and lines make of it. */
async function pagesOf(
  { page, folder }: { readonly page: Page; readonly folder: string },
  [view, grid]: readonly [view: string, grid: string | null],
  said: Partial<Paper> = {},
): Promise<string[]> {
  await page.evaluate((hash) => (location.hash = hash), view)
  if (grid !== null) await gridOf(page, grid).getByRole('row').nth(2).waitFor()
  const before = readdirSync(folder)
  await page.evaluate(
    async ([address, paper]) => {
      const state = await window.desk.call('desk/state')
      const account = state.ok && state.value.active
      if (account)
        await window.desk.call('exports/start', { account, order: { kind: 'pdf', address, paper } })
    },
    [view, { ...usualPaper, ...said }] as const,
  )
  const made = () => readdirSync(folder).filter((name) => name.endsWith('.pdf') && !before.includes(name))
  await expect.poll(made, pollOptions).toHaveLength(1)
  return pagesOfPdf(readFileSync(join(folder, made()[0] ?? ''))).map((text) =>
    text.normalize('NFKC').replaceAll(/\s+/g, ''),
  )
}

const LONG = `${'A client with a name as long as it may be, '.repeat(6).slice(0, 194)}, end.`
const TABLE = '#/reports/script/networks?rates=1&compare=period-before'

it('saves pages that can be sent: the rate first, as few as say something, each naming what it is', async () => {
  const { folder, env } = ownDownloads()
  const desk = await startTour({ env })
  const from = { page: desk.page, folder }

  const pages = await pagesOf(from, [TABLE, 'Script by network'], { title: LONG, words: true })
  expect(pages.length).toBeLessThanOrEqual(4)
  pages.forEach((text, place) => {
    expect(text).toContain(`Tour·${LONG.replaceAll(' ', '')}`)
    expect(text).toMatch(/20\d\d·UTC·Updated\w+\d+,20\d\d,[\d:]+[AP]MUTC/)
    expect(text).toContain(`Page${place + 1}of${pages.length}`)
  })
  const [first = ''] = pages
  expect(first.indexOf('Badrate')).toBeLessThan(first.indexOf('Warning'))
  expect(first).toMatch(/\.\.\.and[\d,]+more\./)
  expect(pages.join('')).toContain('Whythebadratechangedby')
  expect(pages.at(-1)).toContain('Glossary')

  // Every row where the whole table is wanted, in the order of the view.
  const sorted = [`${TABLE}&sort=asc%3ARequests`, 'Script by network'] as const
  const top = await pagesOf(from, sorted)
  const whole = await pagesOf(from, sorted, { whole: true })
  expect(whole.length).toBeGreaterThan(top.length)
  expect(whole.join('')).not.toContain('Glossary')
  const rows = Number(/:all([\d,]+)rows/.exec(whole.join(''))?.[1]?.replaceAll(',', ''))
  const more = Number(/\.\.\.and([\d,]+)more/.exec(top[0] ?? '')?.[1]?.replaceAll(',', ''))
  expect(rows).toBeGreaterThan(more)

  const [both = ''] = await pagesOf(from, ['#/overview?compare=period-before', null])
  for (const words of ['Badrate', 'Suspectrate']) expect(both).toContain(words)
})
