import { expect, it } from 'vitest'
import {
  dimensionEntry,
  offers,
  reportName,
  serviceDimensions,
  families,
  familyNames,
} from '#shared/api/dimensions.ts'
import { gridOf } from '../helpers/reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { connectByKeys, sitDown } from './hand.ts'

it('opens every report by the palette and by its two lists, with keys alone', async () => {
  const [sandbox, hand] = await Promise.all([startSandbox(), sitDown()])
  const { page } = hand
  await connectByKeys(hand, sandbox)
  for (const family of familyNames) {
    await page.getByRole('region', { name: families[family].words }).locator('dl dd').first().waitFor()
  }
  await hand.menu('2', 'alt')
  for (const family of familyNames) {
    const offered = serviceDimensions.filter((each) => offers(family, each))
    for (const dimension of offered) {
      await hand.call(reportName(family, dimension))
      await gridOf(page, reportName(family, dimension)).waitFor()
      await hand.says(`of ${reportName(family, dimension)}`)
    }
    await hand.choose('Family', families[family].words)
    for (const dimension of offered) {
      await hand.choose('Dimension', dimensionEntry(dimension).words)
      await gridOf(page, reportName(family, dimension)).waitFor()
      await hand.hasFocus(page.getByLabel('Dimension'))
    }
  }
  const { requests } = (await sandbox.control('GET', '/requests')) as { requests: { path: string }[] }
  const asked = new Set(requests.map(({ path }) => path).filter((path) => /^(script|direct)\//.test(path)))
  expect(asked.size).toBe(18)
  hand.end()
})
