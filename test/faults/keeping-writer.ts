import { writeSync } from 'node:fs'
import { openSession } from '#main/database/store-session.ts'
import { account, answer, textOf } from './kept-texts.ts'

/** Keeps one answer after the other until it is killed, and says the number of each as soon as it is kept. */
const session = openSession(process.argv[2] ?? '')
session.run('accounts/put', account)
for (let number = Number(process.argv[3]); ; number += 1) {
  session.run('answers/keep', answer(number, textOf(number)))
  session.run('settings/write', { lastView: `#/${number}` })
  writeSync(1, `${number}\n`)
}
