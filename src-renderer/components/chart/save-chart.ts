import type { AccountId } from '#shared/values/ids.ts'
import type { App } from '#renderer/stores/app.ts'
import type { PictureWords } from './png.ts'
import { pngOf } from './png.ts'

/** The bridge takes no longer name. */
const LONGEST_NAME = 200

/** Saves a chart as it is drawn; the list of exports shows how it stands, and a message says why it could not be. */
export async function saveChart(
  app: Pick<App, 'bridge' | 'messages'>,
  account: AccountId,
  canvas: HTMLCanvasElement,
  words: PictureWords,
  called: string,
): Promise<void> {
  const png = await pngOf(canvas, words)
  if (!png) {
    app.messages.say('The chart could not be made into a picture.')
    return
  }
  const name = called.slice(0, LONGEST_NAME)
  const outcome = await app.bridge.call('exports/chart', { account, name, png })
  if (!outcome.ok) app.messages.say(`The chart was not saved. ${outcome.failure.message}`)
}
