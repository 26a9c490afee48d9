import { Deadlines } from '../../service/transport/deadlines.ts'

/** What does not look at a signal itself, or an end. @throws ExchangeEnded after that many milliseconds, or when aborted */
export async function inTime<T>(work: Promise<T>, milliseconds: number, signal: AbortSignal): Promise<T> {
  const deadlines = new Deadlines(signal)
  try {
    deadlines.start('first-byte', milliseconds)
    return await deadlines.race(work)
  } finally {
    deadlines.end()
  }
}
