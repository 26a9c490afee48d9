import type { WindowApp } from './app.ts'

/** Maximum text length of the bridge. */
const LONGEST_COPY = 20_000_000

/** Copies text to the clipboard, and shows a confirmation or the failure. */
export async function copyText(
  { bridge, messages }: Pick<WindowApp, 'bridge' | 'messages'>,
  text: string,
  words: string,
): Promise<void> {
  if (text.length > LONGEST_COPY) {
    messages.show('Too much for the clipboard. Export includes all rows.')
    return
  }
  const outcome = await bridge.call('desk/copy', { text })
  messages.show(outcome.ok ? words : outcome.failure.message)
}
