import type { App } from '#renderer/stores/app.ts'

/** The bridge takes no longer text. */
const LONGEST_COPY = 20_000_000

/** Puts text into the clipboard, and says what became of it. */
export async function copyText(
  { bridge, messages }: Pick<App, 'bridge' | 'messages'>,
  text: string,
  words: string,
): Promise<void> {
  if (text.length > LONGEST_COPY) {
    messages.say('That is too much for the clipboard. Export takes all rows.')
    return
  }
  const outcome = await bridge.call('desk/copy', { text })
  messages.say(outcome.ok ? words : outcome.failure.message)
}
