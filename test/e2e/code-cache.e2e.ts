import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startDesk } from './helpers/app.ts'
import { temporaryFolder } from './helpers/folders.ts'

const start = (env: Record<string, string>) =>
  startDesk({
    profile: temporaryFolder('code-cache'),
    require: join(import.meta.dirname, 'helpers', 'code-cache.cjs'),
    env,
  })

it('is taken for the scripts of the start', async () => {
  const { page, said } = await start({})
  await page.getByRole('heading', { level: 1 }).waitFor()
  const told = said().match(/Code cache of .*/g)
  for (const name of ['index', 'store-worker']) expect(told).toContain(`Code cache of ${name}.cjs: taken`)
  expect(told?.filter((line) => line.endsWith(': rejected'))).toEqual([])
})

it('is not needed: the app starts with a damaged one', async () => {
  const { page, said } = await start({ CODE_CACHE: 'damaged' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(said()).toContain('Code cache of index.cjs: rejected')
})
