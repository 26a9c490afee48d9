import { writeSync } from 'node:fs'
import { cacheFile, cacheSchema } from '../../src-main/figures/cache/cache-schema.ts'
import { openFile } from '../../src-main/lib/sqlite/open-file.ts'
import { keepTable } from '../../src-main/figures/cache/tables-repository.ts'
import { generation } from './kept-generations.ts'

/** Keeps one generation of the same day after the other until it is killed, and says the number of each once it is kept. */
const { database } = openFile({ file: cacheFile(process.argv[2] ?? ''), schema: cacheSchema })
for (let number = Number(process.argv[3]); ; number += 1) {
  if (keepTable(database, generation(number), Date.now()) === null) throw new Error('It was not kept')
  writeSync(1, `${number}\n`)
}
