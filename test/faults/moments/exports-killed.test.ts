import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { syncFolder } from '../../../src-main/lib/sync-folder.ts'
import { rowsFormats } from '../../../src-shared/rows/question.ts'
import { temporaryFolder } from '../../src-main/store/helpers.ts'
import { endings } from './endings.ts'
import { openSaver, readRowsIn } from './saver.ts'

/** What lies in a folder under the names of finished files. */
const filesIn = (folder: string): ReadonlyMap<string, Buffer> =>
  new Map(
    readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .map((name) => [name, readFileSync(join(folder, name))]),
  )

// Where power can be cut, a kill shows nothing besides.
it.each(endings(1, 1).slice(-1))(
  'each file is whole once it is said to be saved: $ending',
  async ({ place }) => {
    const work = temporaryFolder()
    const { folder, lose } = place()
    const downloads = join(folder, 'Downloads')
    mkdirSync(downloads)
    syncFolder(folder)
    const saver = openSaver(work, downloads, await readRowsIn(work))
    const { rows, table, groups, pack, unreadable, list, chart } = saver
    const kinds = [
      ...rowsFormats.map(rows),
      pack,
      unreadable,
      list,
      groups('csv'),
      table('csv'),
      table('xlsx'),
      chart,
    ]
    const names: string[] = []
    for (const save of kinds) names.push(await save())
    await saver.close()
    const before = filesIn(downloads)
    expect([...before.keys()].sort()).toEqual(names.sort())
    lose()
    const after = filesIn(downloads)
    expect(names.filter((name) => !after.get(name)?.equals(before.get(name) ?? Buffer.of()))).toEqual([])
  },
)
