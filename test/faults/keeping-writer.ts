import { writeSync } from 'node:fs'
import { putAccount } from '../../src-main/store/accounts-repository.ts'
import { keepAnswer } from '../../src-main/store/answers-repository.ts'
import { openDatabase } from '../../src-main/store/open-database.ts'
import { account, answer, textOf } from './kept-texts.ts'

/** Keeps one answer after the other until it is killed, and says the number of each as soon as it is kept. */
const { database } = openDatabase(process.argv[2] ?? '')
putAccount(database, account)
for (let number = Number(process.argv[3]); ; number += 1) {
  keepAnswer(database, answer(number, textOf(number)), number)
  writeSync(1, `${number}\n`)
}
