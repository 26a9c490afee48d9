import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pixelsOf } from '../screenshots/png.ts'
import { ownDownloads } from './helpers/own-downloads.ts'
import { pollOptions } from './helpers/poll-options.ts'
import { startTour } from './tour/start.ts'

it('saves a chart twice as sharp as it is large, on light paper whatever the theme is', async () => {
  const { folder, env } = ownDownloads()
  const { page, hands } = await startTour({ env })
  await page.emulateMedia({ colorScheme: 'dark' })
  await hands.follow('#/reports/script/browsers?period=last-28-days&chart=rate')
  await page.locator('.figure[aria-busy=false] canvas').waitFor()
  const save = page.getByRole('button', { name: 'Save as PNG', exact: true, disabled: false })
  await save.click()
  const made = () => readdirSync(folder).filter((name) => name.endsWith('.png'))
  await expect.poll(made, pollOptions).toHaveLength(1)
  expect(made()[0]).toMatch(/^Tour - Script by browser, by day/)
  const { width, height, colours } = pixelsOf(readFileSync(join(folder, made()[0] ?? '')))
  expect([width, height]).toEqual([2400, 1440])
  expect(colours[0]?.toString(16)).toBe('ffffff')
  // Lines of the bad rate, bars of the volume, and words on the paper.
  const seen = new Set(colours)
  for (const ink of [0xbc1700, 0xd5dbe5, 0x171c24, 0x566070])
    expect([ink, seen.has(ink)]).toEqual([ink, true])
})
