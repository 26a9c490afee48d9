/** What is looked at of a message's sender; Electron's `IpcMainInvokeEvent` has all of it. */
export type Sender = {
  readonly sender: { readonly id: number }
  readonly senderFrame: { readonly url: string; readonly parent: unknown } | null
}

/** Who may call: windows this app opened, showing pages of this app. */
export type Callers = {
  /** `traffic-desk-app://desk`, with no slash at its end. */
  readonly origin: string
  readonly isOurWindow: (contents: number) => boolean
}

/**
 * Whether a message comes from the main frame of one of our own windows, showing a page of our own scheme. A frame
 * that has gone by now, or lies within another, is refused.
 */
export function isOurs({ sender, senderFrame }: Sender, { origin, isOurWindow }: Callers): boolean {
  if (senderFrame === null || senderFrame.parent !== null || !isOurWindow(sender.id)) return false
  return senderFrame.url.startsWith(`${origin}/`)
}
