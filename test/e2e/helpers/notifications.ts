import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as v from 'valibot'

const run = promisify(execFile)

/** A notification as the daemon has it. */
export type Shown = { readonly app: string; readonly title: string; readonly body: string }

const text = v.object({ data: v.string() })
const history = v.object({
  data: v.tuple([v.array(v.object({ appname: text, summary: text, body: text }))]),
})

const ask = async (...given: readonly string[]) => (await run('dunstctl', given)).stdout

/** How many the daemon shows at this moment. */
export const countShown = async (): Promise<number> => Number(await ask('count', 'displayed'))

/** Clicks the one that was shown last. */
export const clickNotification = async (): Promise<void> => void (await ask('action', '0'))

/** Takes all of them off the screen, and gives every one of ours that there ever was, the newest first. */
export async function allNotifications(): Promise<readonly Shown[]> {
  await ask('close-all')
  const [found] = v.parse(history, JSON.parse(await ask('history'))).data
  return found
    .map(({ appname, summary, body }) => ({ app: appname.data, title: summary.data, body: body.data }))
    .filter(({ app }) => app === 'Traffic Desk')
}
