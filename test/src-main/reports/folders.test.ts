import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** From the ground up: each folder may import those before it. */
const folders = [
  ...['engine', 'history', 'coverage', 'requests', 'lookups'],
  ...['composing', 'sync', 'pages', 'resolver'],
]
const cwd = fileURLToPath(new URL('../../../src-main/reports', import.meta.url))

it('the folders of reports import one another downwards only', () => {
  const files = globSync('*/*.ts', { cwd }).map((path) => path.replaceAll('\\', '/'))
  const upwards = files.flatMap((file) => {
    const from = folders.indexOf(file.slice(0, file.indexOf('/')))
    const text = readFileSync(`${cwd}/${file}`, 'utf8')
    return [...text.matchAll(/from '\.\.\/([a-z-]+)\//g)]
      .filter(([, folder = '']) => folders.indexOf(folder) >= from)
      .map(([, folder]) => `${file} imports ${folder}`)
  })
  expect(upwards).toEqual([])
  expect(new Set(files.map((file) => file.split('/')[0]))).toEqual(new Set(folders))
})
