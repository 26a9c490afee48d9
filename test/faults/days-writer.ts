import { writeSync } from 'node:fs'
import { putAccount } from '../../src-main/store/accounts-repository.ts'
import { openDatabase } from '../../src-main/store/open-database.ts'
import { keepTable } from '../../src-main/store/tables-repository.ts'
import { account } from './kept-texts.ts'
import { generation } from './kept-generations.ts'

/** Keeps one generation of the same day after the other until it is killed, and says the number of each once it is kept. */
const { database } = openDatabase(process.argv[2] ?? '')
putAccount(database, account)
for (let number = Number(process.argv[3]); ; number += 1) {
  if (keepTable(database, generation(number), Date.now()) === null) throw new Error('It was not kept')
  writeSync(1, `${number}\n`)
}
