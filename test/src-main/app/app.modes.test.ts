import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../database/helpers.ts'
import { appOver } from './helpers.ts'

const othersMay = 0o077

it('what lies in the profile folder is its person’s alone, file by file, wherever it is copied', async () => {
  const folder = temporaryFolder()
  // As on a disk that knows no modes of folders, or in a copy of it.
  chmodSync(folder, 0o755)
  const app = appOver(folder)
  let closed: Promise<void> | undefined
  const close = () => (closed ??= app.close())
  onTestFinished(close)
  await app.handlers['accounts/explore-sample'](undefined)
  await app.handlers['settings/disk'](undefined)
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name))
  const open = () => files().filter((path) => (statSync(path).mode & othersMay) !== 0)
  expect(files().map((path) => path.slice(folder.length + 1))).toEqual(
    expect.arrayContaining(['state.sqlite', 'cache.sqlite']),
  )
  expect(open()).toEqual([])
  await close()
  expect(open()).toEqual([])
})
