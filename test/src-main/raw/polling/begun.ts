import type { RawListRow } from '#shared/api/answers.ts'
import { quiet, roomWith } from '../room.ts'

const minute = 60_000

/** A room that has kept its first list, of these rows. */
export async function begun(...rows: RawListRow[]) {
  const made = await roomWith()
  made.service.put(...rows)
  made.room.start()
  await quiet()
  made.service.received()
  return made
}

/** Lets so much time pass, a minute at a time. */
export async function minutes(clock: { move: (milliseconds: number) => Promise<void> }, count: number) {
  for (let passed = 0; passed < count; passed += 1) {
    await clock.move(minute)
    await quiet()
  }
}
